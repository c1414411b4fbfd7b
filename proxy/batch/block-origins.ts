import type { z } from 'zod';
import type { Waiters } from '../../shards/concurrency/fair-queue.ts';
import { type Geoid, isGeoid } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release/release.ts';
import type { FoundRows } from '../formats/rows.ts';
import { nthRows, nthTimesOf } from '../queries/nearest/nth-times.ts';
import {
  type CellParams,
  type NthParams,
  requestedCells,
  requestedNth,
  summaryColumns,
  summaryOf,
  summaryRows,
} from '../queries/nearest/summary.ts';
import {
  locateOrigin,
  type OriginBlock,
  originOfGeoid,
  originOfPoint,
} from '../queries/origins/origin-block.ts';
import { unroutedModes, unroutedReasons } from '../queries/origins/unrouted.ts';
import {
  type PoiTimesQuery,
  poiColumns,
  poisOf,
  requestedPois,
} from '../queries/pois/poi-times.ts';
import { ROW_BEGINS } from '../queries/rows/row-page.ts';
import type { pointItem } from '../schemas/body-members.ts';
import {
  type Batch,
  NO_LIMIT,
  type OriginOutcome,
  type OriginResult,
  originError,
} from './batch.ts';

/**
 * Looks up rows for each block of a batch that at least one requested mode could be routed from.
 */
export interface OriginLookup {
  /** The requested modes, as positions among the release's. */
  readonly modes: readonly number[];
  /** `origin`: the members that identify the origin in its rows. */
  rowsOf(block: OriginBlock, origin: object, waiters: Waiters): Promise<FoundRows>;
}

export type Point = z.output<typeof pointItem>;

/** A batch request for blocks or points, apart from its lookup. */
interface BatchRequest<O> {
  readonly origins: readonly O[];
  readonly rowBudget: number;
  /** The requested modes. */
  readonly modes: readonly number[];
  readonly columns?: readonly string[];
}

/** A batch of blocks, in request order. */
export function blockBatch(
  release: Release,
  { origins, rowBudget, modes, columns }: BatchRequest<string>,
  look: (block: OriginBlock, waiters: Waiters) => Promise<OriginResult>,
): Batch<string> {
  const resolve = async (geoid: Geoid, waiters: Waiters) => {
    const block = await locateOrigin(release, originOfGeoid(release, geoid), waiters);
    return ofBlock(block, modes, (located) => look(located, waiters));
  };
  return {
    origins,
    rowBudget,
    columns,
    identify: (geoid) => ({ geoid }),
    shorten: (geoid) => geoid,
    respond: async (geoid, waiters) =>
      isGeoid(geoid) ? resolve(geoid, waiters).catch(originError) : malformed(geoid),
  };
}

/** A batch of points, each resolved to the block that contains it. */
export function pointBatch(
  release: Release,
  { origins, rowBudget, modes, columns }: BatchRequest<Point>,
  look: (
    block: OriginBlock,
    waiters: Waiters,
    name: ReturnType<typeof nameOf>,
  ) => Promise<OriginResult>,
): Batch<Point> {
  const resolve = async (at: Point, waiters: Waiters) => {
    const block = await locateOrigin(release, originOfPoint(release, at.lon, at.lat), waiters);
    return ofBlock(block, modes, (located) => look(located, waiters, nameOf(at)));
  };
  return {
    origins,
    rowBudget,
    columns,
    identify: nameOf,
    shorten: nameOf,
    respond: (at, waiters) => resolve(at, waiters).catch(originError),
  };
}

function malformed(text: string): OriginOutcome {
  const detail = `${JSON.stringify(text)} is not a block GEOID: 15 digits, including leading zeros`;
  return { type: 'block-not-found', detail };
}

function nameOf({ lat, lon }: Point) {
  return { origin_lat: lat, origin_lon: lon };
}

async function ofBlock(
  block: OriginBlock,
  modes: readonly number[],
  look: (block: OriginBlock) => Promise<OriginResult>,
): Promise<OriginOutcome> {
  const unrouted = unroutedModes(block, modes);
  if (unrouted === null || unrouted.length < modes.length) return look(block);
  return { type: 'no-block-data', detail: unroutedReasons(block.geoid, unrouted) };
}

/** Looks up the summary rows of a batch; also returns their columns without those of origins. */
export function summaryLookup(
  release: Release,
  { nth, count_within, ...query }: CellParams & NthParams,
): OriginLookup & { readonly columns: readonly string[] } {
  const { filter } = requestedCells(release, query, 'body');
  const nthFilter = requestedNth(filter, { nth, count_within });
  return {
    modes: filter.modes,
    columns: summaryColumns(filter, nthFilter),
    rowsOf: async (block, origin, waiters) =>
      nthFilter === null
        ? summaryRows(await summaryOf(block, filter), origin)
        : nthRows(await nthTimesOf(block, nthFilter, waiters), nthFilter, origin),
  };
}

/** Looks up all POI times of a batch; also returns their columns without those of origins. */
export function poisLookup(
  release: Release,
  query: PoiTimesQuery,
): OriginLookup & { readonly columns: readonly string[] } {
  const { filter } = requestedPois(release, query, 'body');
  const all = { position: ROW_BEGINS, limit: NO_LIMIT };
  return {
    modes: filter.modes,
    columns: poiColumns(filter),
    rowsOf: (block, origin, waiters) => poisOf(block, filter, all, waiters, origin),
  };
}
