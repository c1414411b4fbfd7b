import type { z } from 'zod';
import type { Geoid } from '../../shards/geoid.ts';
import type { BlockIndex } from '../../shards/index/block-index.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import { countyWith, leavesAskedFor, locateBlock, modePositions } from '../answers/block-query.ts';
import { type PoiTimeRow, poiPage } from '../answers/poi-page.ts';
import { type PoiTimesQuery, tenthsWithin } from '../answers/poi-times.ts';
import { countiesAround, coveredPoint } from '../answers/point-query.ts';
import { askedCells, type CategoryTime, summaryRows } from '../answers/summary.ts';
import type { pointItem } from '../openapi/body-members.ts';
import {
  type Batch,
  checkOrigins,
  NO_LIMIT,
  type OriginAnswer,
  type OriginOutcome,
  originError,
} from './batch.ts';

/** A block that an origin stands for, which some mode could be routed from. */
export interface OriginBlock {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
  readonly index: BlockIndex;
  readonly ordinal: number;
}

export type Point = z.output<typeof pointItem>;

/** A batch of blocks: what is looked up for each. */
export function blockBatch(
  release: Release,
  origins: readonly Geoid[] | undefined,
  look: (block: OriginBlock) => Promise<OriginAnswer>,
): Batch<Geoid> {
  return {
    origins: checkOrigins(origins, 'origins'),
    identify: (geoid) => ({ geoid }),
    shorten: (geoid) => geoid,
    answer: (geoid) => ofBlock(release, geoid, look).catch(originError),
  };
}

/** A batch of points, each standing for the block it lies in. */
export function pointBatch(
  release: Release,
  origins: readonly Point[] | undefined,
  look: (block: OriginBlock, name: ReturnType<typeof nameOf>) => Promise<OriginAnswer>,
): Batch<Point> {
  const resolve = async (at: Point) => {
    const counties = countiesAround(release, at.lon, at.lat);
    const { geoid } = await coveredPoint(release, counties, at.lon, at.lat);
    return ofBlock(release, geoid, (block) => look(block, nameOf(at)));
  };
  return {
    origins: checkOrigins(origins, 'origins'),
    identify: nameOf,
    shorten: nameOf,
    answer: (at) => resolve(at).catch(originError),
  };
}

function nameOf({ lat, lon }: Point) {
  return { origin_lat: lat, origin_lon: lon };
}

async function ofBlock(
  release: Release,
  geoid: Geoid,
  look: (block: OriginBlock) => Promise<OriginAnswer>,
): Promise<OriginOutcome> {
  const county = countyWith(release, geoid);
  const { index, ordinal } = await locateBlock(release, county, geoid);
  if (index.isRoutable(ordinal)) return look({ geoid, county, index, ordinal });
  return { type: 'no-block-data', detail: `no street is near the centre of block ${geoid}` };
}

/** Looks up the summary rows that a batch asks for. */
export function summaryLookUp(
  release: Release,
  query: Parameters<typeof askedCells>[1],
): (block: OriginBlock) => Promise<CategoryTime[]> {
  const { filter } = askedCells(release, query, 'body');
  return ({ county, index, ordinal }) => summaryRows(release, county, index, ordinal, filter);
}

/** Looks up all POI times that a batch asks for. */
export function poisLookUp(
  release: Release,
  query: PoiTimesQuery,
): (block: OriginBlock) => Promise<PoiTimeRow[]> {
  const types = leavesAskedFor(release, query.type as DestTypeId[] | undefined, 'body');
  const filter = {
    modes: modePositions(release, query.mode as Mode[] | undefined),
    types: types && new Set(types),
    destIds: query.dest_id && new Set(query.dest_id as number[]),
    maxTenths: tenthsWithin(query.max_minutes),
    afterModeId: 0,
    afterDestId: -1,
  };
  return async ({ county, ordinal }) => {
    const pois = await release.pois(county);
    const row = await release.poiRow(pois, ordinal);
    return poiPage(release.manifest.modes, pois, row, filter, NO_LIMIT).results;
  };
}

/** Rows that say which origin they are from. */
export function named(name: object, rows: readonly object[]): object[] {
  return rows.map((row) => ({ ...name, ...row }));
}
