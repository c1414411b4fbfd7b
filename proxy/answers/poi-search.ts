import { breathe } from '../../shards/breathe.ts';
import type { Askers } from '../../shards/fair-queue.ts';
import { folded } from '../../shards/folded-text.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Catchments, Release, ReleaseCounty } from '../../shards/release.ts';
import { countWhile } from '../../shards/sorted.ts';
import {
  type CountyPoi,
  type Degrees,
  type DestId,
  type DestTypeId,
  MICRO,
} from '../../shards/units.ts';
import { type ByteText, inOnePiece } from '../formats/byte-text.ts';
import type { RowFormat } from '../formats/row-format.ts';
import { POIS } from '../formats/row-table.ts';
import type { Rows } from '../formats/rows.ts';
import { KeptTexts } from './kept-texts.ts';
import type { Page } from './paged-request.ts';
import { COUNTIES_A_PAGE, type SearchedArea } from './searched-area.ts';

/** Which POIs are wanted. */
export interface PoiSearch {
  readonly types: ReadonlySet<DestTypeId> | undefined;
  /** Folded. */
  readonly name: string | undefined;
}

/** A POI as searches give it. */
export interface PoiResult {
  readonly dest_id: DestId;
  readonly name: string;
  readonly lat: Degrees;
  readonly lon: Degrees;
  readonly address: object;
}

/** POIs looked at between two looks at the clock. */
const POIS_A_STEP = 128;

/** The counties whose POIs may lie in an area, in the order of their codes. */
export function countiesOfArea(release: Release, { boxes }: SearchedArea): ReleaseCounty[] {
  return release.poiBoxes.meeting(boxes);
}

/**
 * Adds a page of the POIs in an area, in a fixed order: county by county, in each along a curve over
 * the ground, at one spot by id. A position is the first POI that a page may have, by what orders
 * them: the code of its county as a number, its cell of the world, its id. It says where a page
 * begins in any release, also in one that has other POIs around it. Returns that of the next page,
 * null when there is none.
 */
export async function addPois(
  results: Rows,
  release: Release,
  counties: readonly ReleaseCounty[],
  area: SearchedArea,
  search: PoiSearch,
  { position, limit }: Pick<Page, 'position' | 'limit'>,
  askers: Askers,
): Promise<Page['position'] | null> {
  const [firstCounty, firstCell, firstId] = position;
  const open = counties.filter(({ fips }) => Number(fips) >= firstCounty);
  for (const [visited, { fips, manifest }] of open.entries()) {
    const code = Number(fips);
    if (visited === COUNTIES_A_PAGE) return [code, 0, 0];
    const catchments = await release.catchments(manifest, askers);
    const texts = await textsOf(release, manifest, catchments, results.format);
    const isWanted = await wantedBy(release, manifest, catchments, search);
    const firstRank = code === firstCounty ? rankFrom(catchments, firstCell, firstId) : 0;
    for (const [i, rank] of (await ranksIn(catchments, area, firstRank, askers)).entries()) {
      const pause = (i + 1) % POIS_A_STEP === 0 ? breathe(askers) : undefined;
      if (pause) await pause;
      const ordinal = catchments.byRank[rank];
      if (!isWanted(ordinal)) continue;
      if (results.count === limit) {
        return [code, catchments.cell[ordinal], catchments.matrix.origins[ordinal]];
      }
      results.add(texts.of(ordinal));
    }
  }
  return null;
}

/** The rank of the first POI of a county that is not before a cell, or an id in it. */
function rankFrom(
  { byRank, cell, matrix }: Catchments,
  firstCell: number,
  firstId: DestId,
): number {
  return countWhile(byRank.length, (rank) => {
    const ordinal = byRank[rank];
    if (cell[ordinal] !== firstCell) return cell[ordinal] < firstCell;
    return matrix.origins[ordinal] < firstId;
  });
}

/** Ranks of the POIs in an area from `first` on, ascending. */
async function ranksIn(
  { tree, rank, table }: Catchments,
  { boxes, contains }: SearchedArea,
  first: number,
  askers: Askers,
): Promise<Uint32Array> {
  const found: CountyPoi[] = [];
  let looked = 0;
  // Boxes have no ground in common: they lie on either side of the antimeridian.
  for (const box of boxes) {
    const { minLon, minLat, maxLon, maxLat } = box;
    const [west, south, east, north] = [minLon, minLat, maxLon, maxLat].map((d) => d * MICRO);
    // A product with a million may be off by a little: what is on the edge is decided in degrees.
    for (const ordinal of tree?.search(west - 1, south - 1, east + 1, north + 1) ?? []) {
      if (rank[ordinal] < first) continue;
      const pause = ++looked % POIS_A_STEP === 0 ? breathe(askers) : undefined;
      if (pause) await pause;
      const [lon, lat] = [table.lon[ordinal], table.lat[ordinal]];
      if (boxContains(box, lon / MICRO, lat / MICRO) && contains?.(lon, lat) !== false) {
        found.push(rank[ordinal]);
      }
    }
  }
  return Uint32Array.from(found).sort();
}

/** Tells whether a POI of a county is wanted. */
async function wantedBy(
  release: Release,
  { objects }: CountyManifest,
  { table }: Catchments,
  { types, name }: PoiSearch,
): Promise<(poi: CountyPoi) => boolean> {
  const ofTypes = types && table.ofTypes(types);
  const names =
    name === undefined
      ? undefined
      : await release.beside(objects.catchment, 'names', () => {
          const value = new KeptTexts(table.count, (poi) => folded(table.name(poi)));
          return { value, bytes: value.bytesAtMost(table.textBytes) };
        });
  return (poi) =>
    (ofTypes === undefined || ofTypes.has(poi)) &&
    (names === undefined || names.of(poi).includes(name!));
}

/** The POIs of a county as rows of a format, kept with its head. */
function textsOf(
  release: Release,
  { objects }: CountyManifest,
  catchments: Catchments,
  format: RowFormat,
): Promise<KeptTexts<ByteText>> {
  return release.beside(objects.catchment, `rows.${format.name}`, () => {
    const value = new KeptTexts(catchments.table.count, (poi) => {
      const result = poiResult(catchments, poi);
      const members = format.members({ ...result }, POIS.columns);
      return inOnePiece(format.begin(result.lon, result.lat) + members + format.end);
    });
    return { value, bytes: value.bytesAtMost(catchments.table.textBytes) };
  });
}

export function poiResult({ matrix, table }: Catchments, ordinal: CountyPoi): PoiResult {
  const { name, lon, lat, street, city, state, zip } = table.facts(ordinal);
  return {
    dest_id: matrix.origins[ordinal],
    name,
    lat,
    lon,
    address: { street, city, state, zip },
  };
}
