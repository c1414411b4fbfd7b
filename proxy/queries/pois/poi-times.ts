import { z } from 'zod';
import type { PoiMatrix } from '../../../shards/pois/poi-table.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { CountyPoi, DestId, Minutes, Tenths } from '../../../shards/units.ts';
import { BOUNDS } from '../../bounds.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import {
  allColumns,
  Columns,
  KeptPart,
  NO_COLUMNS,
  type RowColumn,
} from '../../formats/columns.ts';
import type { FoundRows, RowFormat } from '../../formats/rows.ts';
import type { CursorSealer } from '../../http/cursor.ts';
import type { QueryContext } from '../../services.ts';
import {
  type CellFilter,
  type CellParams,
  requestedCells,
  spelledNames,
} from '../modes-and-types.ts';
import type { OriginBlock } from '../origins/origin-block.ts';
import { unroutedMetadata, unroutedModes } from '../origins/unrouted.ts';
import {
  nextCursor,
  type Page,
  type PagedRequest,
  pagedRequest,
  type RequestParameters,
} from '../rows/pagination.ts';
import { MODE_TIME, NO_ORIGIN, rowSchema, TIME, timeKey } from '../rows/row-columns.ts';
import { pageOfRow, ROW_BEGINS, type RowPage } from '../rows/row-page.ts';
import { DEST_ID, keptPois, POI_FACTS, POI_POINT } from './poi-columns.ts';

interface PoiFilter extends CellFilter {
  readonly destIds: ReadonlySet<DestId> | undefined;
  readonly maxTenths: Tenths;
}

const labelColumns = (of: (poi: CountyPoi) => readonly string[]) =>
  new Columns<CountyPoi>({
    dest_types: {
      type: 'string',
      schema: z
        .array(z.string())
        .optional()
        .meta({ description: 'With `names`: the labels of the types of the POI.' }),
      of,
    },
  });

export const poiTime = rowSchema(
  DEST_ID,
  labelColumns(() => []),
  MODE_TIME,
  POI_FACTS,
).meta({
  id: 'PoiTime',
  description: 'Minutes to one POI, by one mode.',
});

export function poiColumns({ labels }: PoiFilter): readonly RowColumn[] {
  return allColumns([
    DEST_ID,
    labels === null ? NO_COLUMNS : labelColumns(() => []),
    TIME,
    POI_FACTS,
  ]);
}

const ROWS_PER_STEP = 256;

/**
 * Reads the next `limit` rows of a block, after a position (mode id, `dest_id`), with at most one
 * range read once the county's head is cached. `origin`: the members that identify the origin in a
 * batch.
 */
export async function poisOf(
  { release, county, ordinal }: OriginBlock,
  filter: PoiFilter,
  page: Pick<Page, 'position' | 'limit'>,
  origin = NO_ORIGIN,
): Promise<FoundRows & Pick<RowPage, 'end'>> {
  const pois = await release.pois(county);
  const row = await pois.matrix.encodedRow(ordinal);
  const wanted = { ...filter, isWanted: wantedBy(pois, filter) };
  const { parts, count, end } = await pageOfRow(release, pois.matrix, row, wanted, page);
  return {
    count,
    end,
    async addTo(rows) {
      const { point, id, facts } = await partsOf(release, county, pois, rows.format);
      const { labels } = filter;
      const types =
        labels === null
          ? NO_COLUMNS
          : labelColumns((poi) =>
              Array.from(pois.table.types(poi), (type) => labels.labelOf(type)),
            );
      const add = rows.of(point, origin.columns, id, types, TIME, facts);
      for (const { mode, targets, times } of parts) {
        const first = timeKey(mode);
        for (let i = 0; i < targets.length; i++) {
          const poi = targets[i];
          add(poi, origin.name, poi, poi, first + times[i], poi);
          if ((i + 1) % ROWS_PER_STEP === 0) await release.turns.yieldIfOverdue();
        }
      }
    },
  };
}

function wantedBy(
  { matrix, table }: PoiMatrix,
  { types, destIds }: PoiFilter,
): ((poi: CountyPoi) => boolean) | undefined {
  if (!types && !destIds) return undefined;
  const ofTypes = types && table.ofTypes(types);
  return (poi) =>
    (destIds === undefined || destIds.has(matrix.targets[poi])) &&
    (ofTypes === undefined || ofTypes.has(poi));
}

function partsOf(
  release: Release,
  { objects }: CountyManifest,
  { matrix, table }: PoiMatrix,
  format: RowFormat,
) {
  return keptPois(release, objects.pois, `rows.${format.name}`, table, () => {
    const factsOf = (poi: CountyPoi) => table.facts(poi);
    return {
      point: new KeptPart(POI_POINT, table.count, factsOf),
      id: new KeptPart(DEST_ID, table.count, (poi: CountyPoi) => ({
        dest_id: matrix.targets[poi],
      })),
      facts: new KeptPart(POI_FACTS, table.count, factsOf),
    };
  });
}

interface PoiTimesQuery extends CellParams {
  readonly dest_id?: readonly DestId[] | undefined;
  readonly max_minutes?: Minutes | undefined;
}

/** Converts minutes to tenths, rounding down. */
export function tenthsWithin(minutes: Minutes | undefined): Tenths {
  return Math.floor((minutes ?? BOUNDS.maxMinutes.max) * 10 + 1e-9);
}

export function requestedPois(
  release: Release,
  query: PoiTimesQuery,
  part: 'query' | 'body' = 'query',
): { filter: PoiFilter } & RequestParameters {
  const { filter, sent, resolved } = requestedCells(release, query, part);
  const { dest_id, names } = query;
  const { taxonomy } = release;
  const maxTenths = tenthsWithin(query.max_minutes);
  return {
    filter: { ...filter, destIds: dest_id && new Set(dest_id), maxTenths },
    sent: { ...sent, dest_id, max_tenths: maxTenths },
    resolved: {
      ...resolved,
      type: query.type && resolved.type,
      // A row has the labels of all types of its POI.
      names: spelledNames(taxonomy, taxonomy.leafIds, names),
    },
  };
}

export interface ResolvedPoiTimes extends PagedRequest {
  readonly filter: PoiFilter;
}

export function resolvePoiTimes(
  release: Release,
  cursors: CursorSealer,
  route: string,
  origin: object,
  { cursor, limit, ...query }: PoiTimesQuery & { cursor?: string | undefined; limit: number },
): ResolvedPoiTimes {
  const { filter, sent, resolved } = requestedPois(release, query);
  const parameters = { sent: { ...origin, ...sent }, resolved };
  return { ...pagedRequest(cursors, route, parameters, { limit, cursor }, ROW_BEGINS), filter };
}

/** Builds a page of a block's POI times; `originMembers` are the members before the rows. */
export async function queryPoiTimes(
  { cursors, format }: QueryContext,
  { filter, page }: ResolvedPoiTimes,
  block: OriginBlock,
  originMembers: object,
): Promise<QueryResult> {
  const found = await poisOf(block, filter, page);
  const results = format.rows(poiColumns(filter));
  await found.addTo(results);
  const next_cursor = nextCursor(cursors, page, found.end);
  const unrouted = unroutedMetadata(unroutedModes(block, filter.modes));
  const body = { ...originMembers, results, next_cursor, ...unrouted };
  return rowsResponse(body, found.count);
}
