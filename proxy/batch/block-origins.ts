import type { z } from 'zod';
import { breathe } from '../../shards/breathe.ts';
import { type Geoid, isGeoid } from '../../shards/geoid.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import {
  countyWith,
  type LocatedBlock,
  leavesAskedFor,
  locateBlock,
  modePositions,
} from '../answers/block-query.ts';
import { type PoiTimeRow, poiPage } from '../answers/poi-page.ts';
import { type PoiTimesQuery, tenthsWithin } from '../answers/poi-times.ts';
import { countiesAround, coveredPoint } from '../answers/point-query.ts';
import { askedCells, type CategoryTime, summaryRows } from '../answers/summary.ts';
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

/** A block that an origin stands for, which some wanted mode could be routed from. */
export interface OriginBlock extends LocatedBlock {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
}

/** What a batch asks of each block. */
export interface LookUp<Row> {
  /** The wanted modes, as positions among the release's. */
  readonly modes: readonly number[];
  rowsOf(block: OriginBlock): Promise<Row[]>;
}

export type Point = z.output<typeof pointItem>;

/** A batch of blocks, as they were sent: which modes are wanted, and what is looked up for each. */
export function blockBatch(
  release: Release,
  origins: readonly string[] | undefined,
  modes: readonly number[],
  look: (block: OriginBlock) => Promise<OriginAnswer>,
): Batch<string> {
  return {
    origins: checkOrigins(origins, 'origins'),
    identify: (geoid) => ({ geoid }),
    shorten: (geoid) => geoid,
    answer: async (geoid) =>
      isGeoid(geoid) ? ofBlock(release, geoid, modes, look).catch(originError) : malformed(geoid),
  };
}

/** A batch of points, each standing for the block it lies in. */
export function pointBatch(
  release: Release,
  origins: readonly Point[] | undefined,
  modes: readonly number[],
  look: (block: OriginBlock, name: ReturnType<typeof nameOf>) => Promise<OriginAnswer>,
): Batch<Point> {
  const resolve = async (at: Point) => {
    const counties = countiesAround(release, at.lon, at.lat);
    const { geoid } = await coveredPoint(release, counties, at.lon, at.lat);
    return ofBlock(release, geoid, modes, (block) => look(block, nameOf(at)));
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
  release: Release,
  geoid: Geoid,
  modes: readonly number[],
  look: (block: OriginBlock) => Promise<OriginAnswer>,
): Promise<OriginOutcome> {
  const county = countyWith(release, geoid);
  const { index, ordinal } = await locateBlock(release, county, geoid);
  const unrouted = unroutedModes(release, index, ordinal, modes);
  if (unrouted === null || unrouted.length < modes.length) {
    return look({ geoid, county, index, ordinal });
  }
  return { type: 'no-block-data', detail: whyNotRouted(geoid, unrouted) };
}

/** Looks up the summary rows that a batch asks for. */
export function summaryLookUp(
  release: Release,
  query: Parameters<typeof askedCells>[1],
): LookUp<CategoryTime> {
  const { filter } = askedCells(release, query, 'body');
  return {
    modes: filter.modes,
    rowsOf: ({ county, index, ordinal }) => summaryRows(release, county, index, ordinal, filter),
  };
}

/** Looks up all POI times that a batch asks for. */
export function poisLookUp(release: Release, query: PoiTimesQuery): LookUp<PoiTimeRow> {
  const types = leavesAskedFor(release, query.type as DestTypeId[] | undefined, 'body');
  const filter = {
    modes: modePositions(release, query.mode as Mode[] | undefined, 'body'),
    types: types && new Set(types),
    destIds: query.dest_id && new Set(query.dest_id as number[]),
    maxTenths: tenthsWithin(query.max_minutes),
    afterModeId: 0,
    afterDestId: -1,
  };
  return {
    modes: filter.modes,
    async rowsOf({ county, ordinal }) {
      const pois = await release.pois(county);
      const row = await pois.matrix.row(ordinal);
      const page = await poiPage(release.manifest.modes, pois, row, filter, NO_LIMIT);
      return page.results;
    },
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
