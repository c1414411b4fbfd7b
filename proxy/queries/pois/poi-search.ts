import { countWhile } from '../../../shards/arrays/sorted.ts';
import { foldText } from '../../../shards/folded-text.ts';
import { boxContains } from '../../../shards/geometry/wgs84.ts';
import type { Catchments } from '../../../shards/release/loaders.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release, ReleaseCounty } from '../../../shards/release/release.ts';
import { type CountyPoi, type DestId, type DestTypeId, MICRO } from '../../../shards/units.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { KeptPart } from '../../formats/columns.ts';
import type { RowFormat, Rows } from '../../formats/rows.ts';
import type { CursorSealer } from '../../http/cursor.ts';
import type { QueryContext } from '../../services.ts';
import { requestedLeaves, spelledTypes, type TypeName } from '../modes-and-types.ts';
import {
  COUNTIES_PER_PAGE,
  nextCursor,
  type Page,
  type PagedRequest,
  pagedRequest,
} from '../rows/pagination.ts';
import type { SearchedArea } from '../searched-area.ts';
import { keptPois, POI, POI_POINT, type Poi } from './poi-columns.ts';

interface PoiSearch {
  readonly types: ReadonlySet<DestTypeId> | undefined;
  /** Part of a name, folded. */
  readonly name: string | undefined;
}

/** POIs examined between two clock checks. */
const POIS_PER_STEP = 128;

/** The counties whose POIs may be in an area, ordered by code. */
export function countiesWithPois(release: Release, { boxes }: SearchedArea): ReleaseCounty[] {
  return release.poiBoxes.meeting(boxes);
}

/**
 * Adds a page of the POIs in an area, in a fixed order: by county, within a county along a
 * space-filling curve, and within a cell by id. A position is the lower bound of a page by its sort
 * keys: the county code as a number, the world grid cell, and the id. A position is valid in any
 * release, even if other POIs surround it. Returns the position of the next page, or null if there
 * is none.
 */
async function addPois(
  results: Rows,
  release: Release,
  counties: readonly ReleaseCounty[],
  area: SearchedArea,
  search: PoiSearch,
  { position, limit }: Pick<Page, 'position' | 'limit'>,
): Promise<Page['position'] | null> {
  const [firstCounty, firstCell, firstId] = position;
  const open = counties.filter(({ fips }) => Number(fips) >= firstCounty);
  for (const [visited, { fips, manifest }] of open.entries()) {
    const code = Number(fips);
    if (visited === COUNTIES_PER_PAGE) return [code, 0, 0];
    const catchments = await release.catchments(manifest);
    const { point, facts } = await partsOf(release, manifest, catchments, results.format);
    const add = results.of(point, facts);
    const isWanted = await wantedBy(release, manifest, catchments, search);
    const firstRank = code === firstCounty ? rankFrom(catchments, firstCell, firstId) : 0;
    for (const [i, rank] of (await ranksIn(release, catchments, area, firstRank)).entries()) {
      if ((i + 1) % POIS_PER_STEP === 0) await release.turns.yieldIfOverdue();
      const ordinal = catchments.byRank[rank];
      if (!isWanted(ordinal)) continue;
      if (results.count === limit) {
        return [code, catchments.cell[ordinal], catchments.matrix.origins[ordinal]];
      }
      add(ordinal, ordinal);
    }
  }
  return null;
}

/** Returns the rank of the first POI of a county at or after an id in a cell. */
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

/** Returns the ranks, from `first` on, of the POIs in an area; sorted ascending. */
async function ranksIn(
  { turns }: Release,
  { tree, rank, table }: Catchments,
  { boxes, contains }: SearchedArea,
  first: number,
): Promise<Uint32Array> {
  const found: CountyPoi[] = [];
  let looked = 0;
  // The boxes do not overlap: they are on either side of the antimeridian.
  for (const box of boxes) {
    const { minLon, minLat, maxLon, maxLat } = box;
    const [west, south, east, north] = [minLon, minLat, maxLon, maxLat].map((d) => d * MICRO);
    // Multiplying by a million may be slightly off, so points on the edge are decided in degrees.
    for (const ordinal of tree?.search(west - 1, south - 1, east + 1, north + 1) ?? []) {
      if (rank[ordinal] < first) continue;
      if (++looked % POIS_PER_STEP === 0) await turns.yieldIfOverdue();
      const [lon, lat] = [table.lon[ordinal], table.lat[ordinal]];
      if (boxContains(box, lon / MICRO, lat / MICRO) && contains?.(lon, lat) !== false) {
        found.push(rank[ordinal]);
      }
    }
  }
  return Uint32Array.from(found).sort();
}

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
      : await keptPois(release, objects.catchment, 'names', table, () => {
          const folded = new Array<string | undefined>(table.count).fill(undefined);
          return (poi: CountyPoi) => (folded[poi] ??= foldText(table.name(poi)));
        });
  return (poi) =>
    (ofTypes === undefined || ofTypes.has(poi)) &&
    (names === undefined || names(poi).includes(name!));
}

function partsOf(
  release: Release,
  { objects }: CountyManifest,
  catchments: Catchments,
  format: RowFormat,
) {
  const { count } = catchments.table;
  return keptPois(release, objects.catchment, `rows.${format.name}`, catchments.table, () => {
    const sourceOf = (ordinal: CountyPoi) => poiOf(catchments, ordinal);
    return {
      point: new KeptPart(POI_POINT, count, sourceOf),
      facts: new KeptPart(POI, count, sourceOf),
    };
  });
}

export function poiOf({ matrix, table }: Catchments, ordinal: CountyPoi): Poi {
  return { dest_id: matrix.origins[ordinal], ...table.facts(ordinal) };
}

interface PoiParams {
  readonly type?: readonly TypeName[] | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface ResolvedSearch extends PagedRequest {
  readonly search: PoiSearch;
}

export function resolveSearch(
  release: Release,
  cursors: CursorSealer,
  route: string,
  where: object,
  { type, q, limit, cursor }: PoiParams,
): ResolvedSearch {
  const types = requestedLeaves(release, type);
  const name = q === undefined ? undefined : foldText(q);
  const parameters = {
    sent: { ...where, type: spelledTypes(release, type), q: name },
    resolved: { type: types },
  };
  return {
    ...pagedRequest(cursors, route, parameters, { limit, cursor }, [0, 0, 0]),
    search: { types: types && new Set(types), name },
  };
}

export async function querySearch(
  release: Release,
  { cursors, format }: QueryContext,
  { search, page }: ResolvedSearch,
  counties: readonly ReleaseCounty[],
  area: SearchedArea,
): Promise<QueryResult> {
  const results = format.rows(POI.columns);
  const next = await addPois(results, release, counties, area, search, page);
  const next_cursor = nextCursor(cursors, page, next);
  return rowsResponse({ results, next_cursor }, results.count);
}
