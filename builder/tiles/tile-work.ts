import { groupBy } from '../../shards/arrays/group-by.ts';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import type { CountyFips } from '../../shards/units.ts';
import { lineObjectsOf, mapObjectsOf, placesOf } from './map-sources.ts';
import { archiveNumbers, pyramidsToDraw, type TilesRequest } from './tile-drawer.ts';
import type { TilePyramid } from './tile-pyramids.ts';

/** Increment when the same objects produce different tiles. */
const TILES_VERSION = 5;

/** Number of archives for which a thread draws a pyramid's tiles in one go. */
const ARCHIVES_PER_GROUP = 12;

/** Consecutive archives, by their numbers; see `TilePiece`. */
interface ArchiveGroup {
  readonly firstArchive: number;
  /** Exclusive. */
  readonly endArchive: number;
}

/** The pyramids whose first county is in a unit. */
interface UnitOfTiles {
  readonly counties: readonly CountyFips[];
  readonly pyramids: readonly TilePyramid[];
  /**
   * A digest of what the pyramids are drawn from, so that what changes elsewhere leaves them as
   * they are.
   */
  readonly drawnFrom: string;
}

/**
 * The drawing of a release in pieces that fit many processes: pyramids are drawn by units, since a
 * pyramid takes reading its counties, and archives are put together by groups, since an archive has
 * tiles of all pyramids.
 */
export interface TileWork {
  readonly request: TilesRequest;
  readonly units: readonly UnitOfTiles[];
  readonly groups: readonly ArchiveGroup[];
}

/** Divides the drawing of a release whose counties are in these units, each once. */
export function tileWorkOf(
  request: TilesRequest,
  units: readonly (readonly CountyFips[])[],
): TileWork {
  const unitOf = new Map(units.flatMap((unit) => unit.map((county) => [county, unit])));
  const byUnit = groupBy(pyramidsToDraw(request), ({ counties }) => unitOf.get(counties[0])!);
  return {
    request,
    groups: archiveGroups({
      ...request,
      hasBaseMap: request.baseMap !== undefined,
      hasLines: request.lines !== undefined,
    }),
    units: units.map((counties) => {
      const pyramids = byUnit.get(counties) ?? [];
      return { counties, pyramids, drawnFrom: digestOf(request, pyramids) };
    }),
  };
}

/**
 * Divides the archives of a release. The base map, whose tiles are the largest, comes alone, and so
 * do the lines of transit.
 */
export function archiveGroups(
  release: Pick<TilesRequest, 'modes' | 'taxonomy'> & {
    readonly hasBaseMap: boolean;
    readonly hasLines: boolean;
  },
): ArchiveGroup[] {
  const { baseMap, lines } = archiveNumbers(release);
  const groups: ArchiveGroup[] = [];
  for (let firstArchive = 0; firstArchive < baseMap; firstArchive += ARCHIVES_PER_GROUP) {
    groups.push({ firstArchive, endArchive: Math.min(baseMap, firstArchive + ARCHIVES_PER_GROUP) });
  }
  if (release.hasBaseMap) groups.push({ firstArchive: baseMap, endArchive: baseMap + 1 });
  if (release.hasLines) groups.push({ firstArchive: lines, endArchive: lines + 1 });
  return groups;
}

function digestOf(
  { modes, taxonomy, counties, baseMap, lines }: TilesRequest,
  pyramids: readonly TilePyramid[],
): string {
  const ofCounties = [...new Set(pyramids.flatMap((pyramid) => pyramid.counties))].map((county) => {
    const { block_box, objects } = counties[county];
    const { index, nearest, blocks, catchment } = objects;
    return [county, block_box, ...[index, nearest, blocks, catchment].map((one) => one?.sha256)];
  });
  const ofMap = baseMap && [
    ...mapObjectsOf(baseMap.features, pyramids),
    ...placesOf(baseMap, pyramids),
  ];
  const hashes = [ofMap, lines && lineObjectsOf(lines, pyramids).flat()].map((objects) =>
    objects?.map(({ sha256 }) => sha256),
  );
  return hashOfJson([TILES_VERSION, modes, taxonomy, pyramids, ofCounties, hashes]);
}
