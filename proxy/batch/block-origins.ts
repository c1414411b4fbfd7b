import type { z } from 'zod';
import type { Askers } from '../../shards/fair-queue.ts';
import { type Geoid, isGeoid } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release.ts';
import {
  type LocatedBlock,
  locateOrigin,
  nameBlock,
  placePoint,
} from '../answers/located-block.ts';
import { poisOf } from '../answers/poi-page.ts';
import { askedPois, type PoiTimesQuery } from '../answers/poi-times.ts';
import { ROW_BEGINS } from '../answers/row-page.ts';
import { askedCells, summaryOf, summaryRows } from '../answers/summary.ts';
import { unroutedModes, whyNotRouted } from '../answers/unrouted.ts';
import type { FoundRows } from '../formats/rows.ts';
import type { pointItem } from '../schemas/body-members.ts';
import {
  type Batch,
  NO_LIMIT,
  type OriginAnswer,
  type OriginOutcome,
  originError,
} from './batch.ts';

/** What a batch asks of each block that some wanted mode could be routed from. */
export interface LookUp {
  /** The wanted modes, as positions among the release's. */
  readonly modes: readonly number[];
  /** `origin`: the members by which rows say which origin they are from. */
  rowsOf(block: LocatedBlock, origin: object, askers: Askers): Promise<FoundRows>;
}

export type Point = z.output<typeof pointItem>;

/** What a batch of blocks or points is of, beside what is looked up for each. */
interface Asked<O> {
  readonly origins: readonly O[];
  readonly rowBudget: number;
  /** The modes wanted. */
  readonly modes: readonly number[];
}

/** A batch of blocks, as they were sent. */
export function blockBatch(
  release: Release,
  { origins, rowBudget, modes }: Asked<string>,
  look: (block: LocatedBlock, askers: Askers) => Promise<OriginAnswer>,
): Batch<string> {
  const resolve = async (geoid: Geoid, askers: Askers) => {
    const block = await locateOrigin(release, nameBlock(release, geoid), askers);
    return ofBlock(block, modes, (located) => look(located, askers));
  };
  return {
    origins,
    rowBudget,
    identify: (geoid) => ({ geoid }),
    shorten: (geoid) => geoid,
    answer: async (geoid, askers) =>
      isGeoid(geoid) ? resolve(geoid, askers).catch(originError) : malformed(geoid),
  };
}

/** A batch of points, each standing for the block it lies in. */
export function pointBatch(
  release: Release,
  { origins, rowBudget, modes }: Asked<Point>,
  look: (
    block: LocatedBlock,
    askers: Askers,
    name: ReturnType<typeof nameOf>,
  ) => Promise<OriginAnswer>,
): Batch<Point> {
  const resolve = async (at: Point, askers: Askers) => {
    const block = await locateOrigin(release, placePoint(release, at.lon, at.lat), askers);
    return ofBlock(block, modes, (located) => look(located, askers, nameOf(at)));
  };
  return {
    origins,
    rowBudget,
    identify: nameOf,
    shorten: nameOf,
    answer: (at, askers) => resolve(at, askers).catch(originError),
  };
}

function malformed(text: string): OriginOutcome {
  const detail = `${JSON.stringify(text)} is no block GEOID: 15 digits, zeros at its beginning too`;
  return { type: 'block-not-found', detail };
}

function nameOf({ lat, lon }: Point) {
  return { origin_lat: lat, origin_lon: lon };
}

async function ofBlock(
  block: LocatedBlock,
  modes: readonly number[],
  look: (block: LocatedBlock) => Promise<OriginAnswer>,
): Promise<OriginOutcome> {
  const unrouted = unroutedModes(block, modes);
  if (unrouted === null || unrouted.length < modes.length) return look(block);
  return { type: 'no-block-data', detail: whyNotRouted(block.geoid, unrouted) };
}

/** Looks up the summary rows that a batch asks for. */
export function summaryLookUp(release: Release, query: Parameters<typeof askedCells>[1]): LookUp {
  const { filter } = askedCells(release, query, 'body');
  return {
    modes: filter.modes,
    rowsOf: async (block, origin) => summaryRows(await summaryOf(block, filter), origin),
  };
}

/** Looks up all POI times that a batch asks for. */
export function poisLookUp(release: Release, query: PoiTimesQuery): LookUp {
  const { filter } = askedPois(release, query, 'body');
  const all = { position: ROW_BEGINS, limit: NO_LIMIT };
  return {
    modes: filter.modes,
    rowsOf: (block, origin, askers) => poisOf(block, filter, all, askers, origin),
  };
}
