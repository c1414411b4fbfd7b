import type { Waiters } from '../../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../../shards/concurrency/yielding.ts';
import { pointAt } from '../../../shards/geometry/geo-json.ts';
import type { Mode } from '../../../shards/modes.ts';
import type { PoiMatrix } from '../../../shards/pois/poi-matrix.ts';
import type { CountyManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { Taxonomy } from '../../../shards/taxonomy.ts';
import type {
  CountyPoi,
  DestId,
  DestTypeId,
  Minutes,
  ReleaseMode,
  Tenths,
} from '../../../shards/units.ts';
import { BOUNDS } from '../../bounds.ts';
import { type QueryResult, rowsResponse } from '../../endpoint.ts';
import { type ByteText, inOnePiece } from '../../formats/byte-text.ts';
import type { RowFormat } from '../../formats/row-format.ts';
import { POI_FACTS, POI_TIMES } from '../../formats/row-table.ts';
import { type FoundRows, Rows } from '../../formats/rows.ts';
import type { CursorSealer } from '../../http/cursor.ts';
import type { QueryContext } from '../../services.ts';
import { modeLabels, modePositions, requestedLeaves, spelledNames } from '../modes-and-types.ts';
import type { OriginBlock } from '../origins/origin-block.ts';
import { unroutedMetadata, unroutedModes } from '../origins/unrouted.ts';
import { FragmentCache, originText, timeTexts } from '../rows/fragments.ts';
import {
  nextCursor,
  type Page,
  type PagedRequest,
  pagedRequest,
  type RequestParameters,
} from '../rows/pagination.ts';
import { pageOfRow, ROW_BEGINS, type RowPage } from '../rows/row-page.ts';

/** Row filter for the POIs of a block. */
interface PoiFilter {
  /** Ascending. */
  readonly modes: readonly ReleaseMode[];
  readonly types: ReadonlySet<DestTypeId> | undefined;
  readonly destIds: ReadonlySet<DestId> | undefined;
  readonly maxTenths: Tenths;
  /** Source of the labels of types; null if rows have none. */
  readonly labels: Taxonomy | null;
}

/** The columns of the rows, without those of an origin. */
export function poiColumns({ labels }: PoiFilter): string[] {
  return POI_TIMES.columns.filter((column) => labels !== null || column !== 'dest_types');
}

/** Rows written between two clock checks. */
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
  waiters: Waiters,
  origin: object = {},
): Promise<FoundRows & Pick<RowPage, 'end'>> {
  const pois = await release.pois(county, waiters);
  const row = await pois.matrix.encodedRow(ordinal);
  const { modes } = release.manifest;
  const wanted = { ...filter, isWanted: wantedBy(pois, filter) };
  const { parts, count, end } = await pageOfRow(modes, pois.matrix, row, wanted, page, waiters);
  return {
    count,
    end,
    async addTo(rows, waiters) {
      const { format } = rows;
      const texts = await textsOf(release, county, pois, format);
      const from = originText(format, origin);
      const typesText = filter.labels && labelTexts(format, pois, filter.labels);
      for (const { mode, targets, times } of parts) {
        const timeText = timeTexts(format)[mode];
        for (let i = 0; i < targets.length; i++) {
          const { begin, id, facts } = texts.of(targets[i]);
          const types = typesText?.(targets[i]) ?? '';
          rows.add(begin + from + id + types + timeText[times[i]] + facts);
          const pause = (i + 1) % ROWS_PER_STEP === 0 ? yieldIfOverdue(waiters) : undefined;
          if (pause) await pause;
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

/** Renders the labels of a POI's types, and the comma after them. */
function labelTexts(format: RowFormat, { table }: PoiMatrix, labels: Taxonomy) {
  return (poi: CountyPoi): ByteText => {
    const dest_types = Array.from(table.types(poi), (type) => labels.labelOf(type));
    return `${format.members({ dest_types }, ['dest_types'])},`;
  };
}

/** A POI's row in pieces: before the origin, between origin and time, and after the time. */
interface PoiText {
  readonly begin: ByteText;
  readonly id: ByteText;
  readonly facts: ByteText;
}

/** The POIs of a county as rows of a format, cached with the county's head. */
function textsOf(
  release: Release,
  { objects }: CountyManifest,
  { matrix, table }: PoiMatrix,
  format: RowFormat,
): Promise<FragmentCache<PoiText>> {
  return release.cachedFrom(objects.pois, `rows.${format.name}`, async () => {
    const value = new FragmentCache(table.count, (poi): PoiText => {
      const { name, lon, lat, street, city, state, zip } = table.facts(poi);
      const facts = { name, lon, lat, address: { street, city, state, zip } };
      return {
        begin: format.begin(pointAt(lon, lat)),
        id: inOnePiece(`${format.members({ dest_id: matrix.targets[poi] }, ['dest_id'])},`),
        facts: inOnePiece(`,${format.members(facts, POI_FACTS)}${format.end}`),
      };
    });
    return { value, bytes: value.bytesAtMost(table.textBytes) };
  });
}

/** Request of a POI-times route, apart from its origin. */
interface PoiTimesQuery {
  readonly mode?: readonly Mode[] | undefined;
  readonly type?: readonly DestTypeId[] | undefined;
  readonly dest_id?: readonly DestId[] | undefined;
  readonly max_minutes?: Minutes | undefined;
  readonly names: boolean;
}

/** Converts minutes to tenths, rounding down. */
export function tenthsWithin(minutes: Minutes | undefined): Tenths {
  return Math.floor((minutes ?? BOUNDS.maxMinutes.max) * 10 + 1e-9);
}

/** The rows that a request selects, and the parameters that select them. */
export function requestedPois(
  release: Release,
  query: PoiTimesQuery,
  part: 'query' | 'body' = 'query',
): { filter: PoiFilter } & RequestParameters {
  const types = requestedLeaves(release, query.type, part);
  const modes = modePositions(release, query.mode, part);
  const { dest_id, names } = query;
  const { taxonomy } = release;
  const maxTenths = tenthsWithin(query.max_minutes);
  return {
    filter: {
      modes,
      types: types && new Set(types),
      destIds: dest_id && new Set(dest_id),
      maxTenths,
      labels: names ? taxonomy : null,
    },
    sent: { mode: query.mode, type: query.type, dest_id, max_tenths: maxTenths, names },
    resolved: {
      mode: modeLabels(release, modes),
      type: types,
      names: spelledNames(taxonomy, taxonomy.leafIds, names),
    },
  };
}

/** A page of POI times, without its block. */
export interface ResolvedPoiTimes extends PagedRequest {
  readonly filter: PoiFilter;
}

/**
 * Resolves the request of a POI-times route; `origin` holds the parameters that identify the block.
 */
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
  { cursors, waiters, format }: QueryContext,
  { filter, page }: ResolvedPoiTimes,
  block: OriginBlock,
  originMembers: object,
): Promise<QueryResult> {
  const found = await poisOf(block, filter, page, waiters);
  const results = new Rows(format);
  await found.addTo(results, waiters);
  const next_cursor = nextCursor(cursors, page, found.end);
  const unrouted = unroutedMetadata(unroutedModes(block, filter.modes));
  const body = { ...originMembers, results, next_cursor, ...unrouted };
  return { ...rowsResponse(body, found.count), columns: poiColumns(filter) };
}
