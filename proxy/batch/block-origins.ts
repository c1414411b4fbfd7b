import type { z } from 'zod';
import { breathe } from '../../shards/breathe.ts';
import { type Geoid, isGeoid } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release.ts';
import {
  countyWith,
  type LocatedBlock,
  locateBlock,
  locatePoint,
  placePoint,
} from '../answers/located-block.ts';
import { POIS_BEGIN, type PoiTimeRow, poisOf } from '../answers/poi-page.ts';
import { askedPois, type PoiTimesQuery } from '../answers/poi-times.ts';
import { askedCells, type CategoryTime, summaryOf } from '../answers/summary.ts';
import { unroutedModes, whyNotRouted } from '../answers/unrouted.ts';
import type { pointItem } from '../openapi/body-members.ts';
import {
  type Batch,
  checkOrigins,
  NO_LIMIT,
  type OriginAnswer,
  type OriginOutcome,
  originError,
} from './batch.ts';

/** What a batch asks of each block that some wanted mode could be routed from. */
export interface LookUp<Row> {
  /** The wanted modes, as positions among the release's. */
  readonly modes: readonly number[];
  rowsOf(block: LocatedBlock): Promise<Row[]>;
}

export type Point = z.output<typeof pointItem>;

/** A batch of blocks, as they were sent: which modes are wanted, and what is looked up for each. */
export function blockBatch(
  release: Release,
  origins: readonly string[] | undefined,
  modes: readonly number[],
  look: (block: LocatedBlock) => Promise<OriginAnswer>,
): Batch<string> {
  const resolve = async (geoid: Geoid) =>
    ofBlock(await locateBlock(release, countyWith(release, geoid), geoid), modes, look);
  return {
    origins: checkOrigins(origins, 'origins'),
    identify: (geoid) => ({ geoid }),
    shorten: (geoid) => geoid,
    answer: async (geoid) =>
      isGeoid(geoid) ? resolve(geoid).catch(originError) : malformed(geoid),
  };
}

/** A batch of points, each standing for the block it lies in. */
export function pointBatch(
  release: Release,
  origins: readonly Point[] | undefined,
  modes: readonly number[],
  look: (block: LocatedBlock, name: ReturnType<typeof nameOf>) => Promise<OriginAnswer>,
): Batch<Point> {
  const resolve = async (at: Point) => {
    const block = await locatePoint(release, placePoint(release, at.lon, at.lat));
    return ofBlock(block, modes, (located) => look(located, nameOf(at)));
  };
  return {
    origins: checkOrigins(origins, 'origins'),
    identify: nameOf,
    shorten: nameOf,
    answer: (at) => resolve(at).catch(originError),
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
export function summaryLookUp(
  release: Release,
  query: Parameters<typeof askedCells>[1],
): LookUp<CategoryTime> {
  const { filter } = askedCells(release, query, 'body');
  return { modes: filter.modes, rowsOf: (block) => summaryOf(block, filter) };
}

/** Looks up all POI times that a batch asks for. */
export function poisLookUp(release: Release, query: PoiTimesQuery): LookUp<PoiTimeRow> {
  const { filter } = askedPois(release, query, 'body');
  const all = { position: POIS_BEGIN, limit: NO_LIMIT };
  return {
    modes: filter.modes,
    rowsOf: async (block) => (await poisOf(block, filter, all)).results,
  };
}

/** Rows named between two looks at the clock. */
const ROWS_A_STEP = 256;

/** Rows that say which origin they are from. */
export async function named(name: object, rows: readonly object[]): Promise<object[]> {
  const out: object[] = [];
  for (const [i, row] of rows.entries()) {
    // A row that begins with a spread would take ten times as long, and be slow to read.
    out.push(Object.assign({}, name, row));
    const pause = i % ROWS_A_STEP === 0 ? breathe() : undefined;
    if (pause) await pause;
  }
  return out;
}
