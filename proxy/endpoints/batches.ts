import { z } from 'zod';
import type { Geoid } from '../../shards/geoid.ts';
import type { Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release.ts';
import type { DestTypeId } from '../../shards/units.ts';
import { countyWith, leavesAskedFor, locateBlock, modePositions } from '../answers/block-query.ts';
import { catchmentPage, catchmentRow, homeCounty } from '../answers/catchment-page.ts';
import { poiPage } from '../answers/poi-page.ts';
import { tenthsWithin } from '../answers/poi-times.ts';
import { countiesAround, coveredPoint } from '../answers/point-query.ts';
import { blockMetadata, summaryRows } from '../answers/summary.ts';
import {
  answerBatch,
  type Batch,
  type BatchResult,
  checkOrigins,
  type OriginAnswer,
  type OriginOutcome,
  originError,
} from '../batch/batch.ts';
import { type PostedEndpoint, postedEndpoint, rowsAnswer } from '../endpoint.ts';
import { CATCHMENT, CATEGORY_TIMES, POI_TIMES, withOrigin } from '../formats/row-table.ts';
import {
  allIfEmpty,
  destIdMember,
  geoidItem,
  lonLat,
  maxMinutesMember,
  modeMember,
  typeMember,
} from '../openapi/body-members.ts';
import {
  blockMetadata as blockMetadataSchema,
  catchmentRow as catchmentRowSchema,
  categoryTime,
  originError as originErrorSchema,
  POI_TIME_EXAMPLE,
  poiTime,
  truncatedReason,
} from '../openapi/schemas.ts';

const BATCH =
  ' 1 to 250 origins; the batch counts as one request. Origins that cannot be resolved are in ' +
  '`errors`, the others still give rows, in the order of the request. Origins that the balance or ' +
  'the row budget does not cover are in `truncated`, whole: the first that does not fit, and all ' +
  'after it. An origin listed twice is answered twice. One token a row, at least one.';

/** Row order and page are those of the single routes, with no end to the page. */
const NO_LIMIT = Number.POSITIVE_INFINITY;
const FROM_THE_BEGINNING = { afterModeId: 0, afterDestId: -1, afterGeoid: -1 };

const geoids = z.array(geoidItem, { error: 'must be an array of block GEOIDs' }).optional();
const point = z.strictObject(lonLat);
const points = z.array(point, { error: 'must be an array of {lat, lon}' }).optional();
type Point = z.output<typeof point>;

const originPoint = { origin_lat: z.number(), origin_lon: z.number() };
const truncatedPoint = z.object(originPoint);
const problems = ['missing-origins', 'too-many-origins'] as const;
const common = { errors: z.array(originErrorSchema), truncated_reason: truncatedReason };
const nothingTruncated = { errors: [], truncated: [], truncated_reason: null };

export const blocksSummary = postedEndpoint({
  access: 'posted',
  path: '/v1/blocks/summary',
  operationId: 'getBlockSummaries',
  summary: 'Summaries of many blocks',
  description: `What \`GET /v1/blocks/{geoid}/summary\` answers, for many blocks.${BATCH}`,
  tag: 'Blocks',
  body: z.strictObject({ origins: geoids, mode: modeMember, type: typeMember }),
  requestExample: { origins: ['990010001001000'], mode: ['walk'] },
  table: withOrigin(CATEGORY_TIMES, ['geoid']),
  response: z.object({
    results: z.array(categoryTime.extend({ geoid: z.string() })),
    blocks: z.array(blockMetadataSchema),
    truncated: z.array(z.string()),
    ...common,
  }),
  example: {
    results: [{ geoid: '990010001001000', dest_type_id: 101, mode: 'walk', travel_time: 12.3 }],
    blocks: [{ geoid: '990010001001000', population: 61, land_area_m2: 9216 }],
    ...nothingTruncated,
  },
  problems,
  plan(release, { origins, mode, type }): Batch<Geoid> {
    const rows = summaryOf(release, mode, type);
    return {
      ...geoidBatch(checkOrigins(origins, 'origins')),
      answer: (on, geoid) => ofBlock(on, geoid, async () => rows(on, geoid)),
    };
  },
  answer: (release, batch, services, balance) =>
    answerWith(release, batch, services, balance, ({ about, ...rest }) => ({
      ...rest,
      blocks: about,
    })),
});

export const blocksPois = postedEndpoint({
  access: 'posted',
  path: '/v1/blocks/pois',
  operationId: 'listBlocksPois',
  summary: 'Places within reach of many blocks',
  description: `All rows of \`GET /v1/blocks/{geoid}/pois\`, for many blocks.${BATCH}`,
  tag: 'Blocks',
  body: z.strictObject({
    origins: geoids,
    mode: modeMember,
    type: typeMember,
    dest_id: destIdMember,
    max_minutes: maxMinutesMember,
  }),
  requestExample: { origins: ['990010001001000'], mode: ['walk'], max_minutes: 10 },
  table: withOrigin(POI_TIMES, ['geoid']),
  response: z.object({
    results: z.array(poiTime.extend({ geoid: z.string() })),
    truncated: z.array(z.string()),
    ...common,
  }),
  example: {
    results: [{ geoid: '990010001001000', ...POI_TIME_EXAMPLE }],
    ...nothingTruncated,
  },
  problems,
  plan(release, { origins, ...query }): Batch<Geoid> {
    const rows = poisOf(release, query);
    return {
      ...geoidBatch(checkOrigins(origins, 'origins')),
      answer: (on, geoid) =>
        ofBlock(on, geoid, async () => ({ rows: named(await rows(on, geoid), { geoid }) })),
    };
  },
  answer: (release, batch, services, balance) =>
    answerWith(release, batch, services, balance, withoutAbout),
});

export const pointsSummary = postedEndpoint({
  access: 'posted',
  path: '/v1/point/summary',
  operationId: 'getPointSummaries',
  summary: 'Summaries of many points',
  description: `What \`GET /v1/point/summary\` answers, for many points.${BATCH}`,
  tag: 'Points',
  body: z.strictObject({ origins: points, mode: modeMember, type: typeMember }),
  requestExample: { origins: [{ lat: 36.0211, lon: -70.0123 }], mode: ['walk'] },
  table: withOrigin(CATEGORY_TIMES, ['origin_lat', 'origin_lon']),
  response: z.object({
    results: z.array(categoryTime.extend(originPoint)),
    origins: z.array(
      z.object({
        ...originPoint,
        resolved_block: z.string(),
        population: z.int().nullable(),
        land_area_m2: z.number().nullable(),
      }),
    ),
    truncated: z.array(truncatedPoint),
    ...common,
  }),
  example: {
    results: [
      {
        ...{ origin_lat: 36.0211, origin_lon: -70.0123 },
        ...{ dest_type_id: 101, mode: 'walk', travel_time: 12.3 },
      },
    ],
    origins: [
      {
        ...{ origin_lat: 36.0211, origin_lon: -70.0123, resolved_block: '990010001001000' },
        ...{ population: 61, land_area_m2: 9216 },
      },
    ],
    ...nothingTruncated,
  },
  problems,
  plan(release, { origins, mode, type }): Batch<Point> {
    const summary = summaryOf(release, mode, type);
    return {
      ...pointBatch(checkOrigins(origins, 'origins')),
      answer: (on, at) =>
        ofPoint(on, at, async (geoid) => {
          const { rows, about } = await summary(on, geoid);
          const { geoid: resolved_block, ...metadata } = about;
          const name = nameOf(at);
          return {
            rows: rows.map(({ geoid: _, ...row }) => ({ ...name, ...row })),
            about: { ...name, resolved_block, ...metadata },
          };
        }),
    };
  },
  answer: (release, batch, services, balance) =>
    answerWith(release, batch, services, balance, aboutAsOrigins),
});

export const pointsPois = postedEndpoint({
  access: 'posted',
  path: '/v1/point/pois',
  operationId: 'listPointsPois',
  summary: 'Places within reach of many points',
  description: `All rows of \`GET /v1/point/pois\`, for many points.${BATCH}`,
  tag: 'Points',
  body: z.strictObject({
    origins: points,
    mode: modeMember,
    type: typeMember,
    dest_id: destIdMember,
    max_minutes: maxMinutesMember,
  }),
  requestExample: { origins: [{ lat: 36.0211, lon: -70.0123 }], max_minutes: 10 },
  table: withOrigin(POI_TIMES, ['origin_lat', 'origin_lon']),
  response: z.object({
    results: z.array(poiTime.extend(originPoint)),
    origins: z.array(z.object({ ...originPoint, resolved_block: z.string() })),
    truncated: z.array(truncatedPoint),
    ...common,
  }),
  example: {
    results: [{ origin_lat: 36.0211, origin_lon: -70.0123, ...POI_TIME_EXAMPLE }],
    origins: [{ origin_lat: 36.0211, origin_lon: -70.0123, resolved_block: '990010001001000' }],
    ...nothingTruncated,
  },
  problems,
  plan(release, { origins, ...query }): Batch<Point> {
    const rows = poisOf(release, query);
    return {
      ...pointBatch(checkOrigins(origins, 'origins')),
      answer: (on, at) =>
        ofPoint(on, at, async (geoid) => ({
          rows: named(await rows(on, geoid), nameOf(at)),
          about: { ...nameOf(at), resolved_block: geoid },
        })),
    };
  },
  answer: (release, batch, services, balance) =>
    answerWith(release, batch, services, balance, aboutAsOrigins),
});

export const poisCatchment = postedEndpoint({
  access: 'posted',
  path: '/v1/pois/catchment',
  operationId: 'listPoisCatchments',
  summary: 'Catchments of many places',
  description: `All rows of \`GET /v1/pois/{dest_id}/catchment\`, for many places.${BATCH}`,
  tag: 'Places to go',
  body: z.strictObject({
    dest_ids: z.array(z.int().min(0), { error: 'must be an array of dest_ids' }).optional(),
    max_minutes: maxMinutesMember,
    mode: modeMember,
    block: z
      .array(z.int().min(0).max(999_999_999_999_999), { error: 'must be an array of integers' })
      .max(1_000)
      .transform(allIfEmpty)
      .optional()
      .meta({ description: 'Only these blocks, GEOIDs as integers.' }),
  }),
  requestExample: { dest_ids: [4213], max_minutes: 10, mode: ['walk'] },
  table: CATCHMENT,
  response: z.object({
    results: z.array(catchmentRowSchema),
    truncated: z.array(z.int()),
    ...common,
  }),
  example: {
    results: [{ dest_id: 4213, geoid: '990010001001000', mode: 'walk', travel_time: 7.4 }],
    ...nothingTruncated,
  },
  problems,
  plan(release, { dest_ids, max_minutes, mode, block }): Batch<number> {
    const filter = {
      ...FROM_THE_BEGINNING,
      modes: modePositions(release, mode as Mode[] | undefined),
      blocks: block && new Set(block),
      maxTenths: tenthsWithin(max_minutes),
    };
    return {
      origins: checkOrigins(dest_ids, 'dest_ids'),
      identify: (dest_id) => ({ dest_id }),
      shorten: (dest_id) => dest_id,
      answer: (on, destId) =>
        homeCounty(on, destId).then(async (county) => {
          const { places, row } = await catchmentRow(on, county, destId);
          const { modes } = on.manifest;
          return { rows: catchmentPage(modes, places, row, destId, filter, NO_LIMIT).results };
        }, originError),
    };
  },
  answer: (release, batch, services, balance) =>
    answerWith(release, batch, services, balance, withoutAbout),
});

export const batches: readonly PostedEndpoint[] = [
  blocksSummary,
  blocksPois,
  pointsSummary,
  pointsPois,
  poisCatchment,
];

async function answerWith<O>(
  release: Release,
  batch: Batch<O>,
  { config }: { readonly config: { readonly batchRowBudget: number } },
  balance: number,
  body: (result: BatchResult) => object,
) {
  const result = await answerBatch(release, batch, balance, config.batchRowBudget);
  return rowsAnswer(body(result), result.results.length);
}

function withoutAbout({ about: _, ...rest }: BatchResult): object {
  return rest;
}

function aboutAsOrigins({ about, ...rest }: BatchResult): object {
  return { ...rest, origins: about };
}

function geoidBatch(origins: readonly Geoid[]) {
  return { origins, identify: (geoid: Geoid) => ({ geoid }), shorten: (geoid: Geoid) => geoid };
}

function pointBatch(origins: readonly Point[]) {
  return { origins, identify: nameOf, shorten: nameOf };
}

function nameOf({ lat, lon }: Point) {
  return { origin_lat: lat, origin_lon: lon };
}

function named(rows: readonly object[], name: object): object[] {
  return rows.map((row) => ({ ...name, ...row }));
}

/** Runs a look-up from a block, which must exist and be routable by some mode. */
async function ofBlock(
  release: Release,
  geoid: Geoid,
  look: () => Promise<OriginAnswer>,
): Promise<OriginOutcome> {
  try {
    const { index, ordinal } = await locateBlock(release, countyWith(release, geoid), geoid);
    if (index.isRoutable(ordinal)) return await look();
    return { type: 'no-block-data', detail: `no street is near the centre of block ${geoid}` };
  } catch (error) {
    return originError(error);
  }
}

async function ofPoint(
  release: Release,
  { lon, lat }: Point,
  look: (geoid: Geoid) => Promise<OriginAnswer>,
): Promise<OriginOutcome> {
  try {
    const { geoid } = await coveredPoint(release, countiesAround(release, lon, lat), lon, lat);
    return await ofBlock(release, geoid, () => look(geoid));
  } catch (error) {
    return originError(error);
  }
}

function summaryOf(
  release: Release,
  mode: readonly string[] | undefined,
  type: DestTypeId[] | undefined,
) {
  const types = leavesAskedFor(release, type, 'body');
  const filter = {
    modes: modePositions(release, mode as Mode[] | undefined),
    types: types && new Set(types),
  };
  return async (on: Release, geoid: Geoid) => {
    const county = countyWith(on, geoid);
    const { index, ordinal } = await locateBlock(on, county, geoid);
    const rows = await summaryRows(on, county, index, ordinal, filter);
    return {
      rows: rows.map((row) => ({ geoid, ...row })),
      about: blockMetadata(index, ordinal, geoid),
    };
  };
}

function poisOf(
  release: Release,
  query: {
    mode?: readonly string[] | undefined;
    type?: DestTypeId[] | undefined;
    dest_id?: number[] | undefined;
    max_minutes?: number | undefined;
  },
) {
  const types = leavesAskedFor(release, query.type, 'body');
  const filter = {
    ...FROM_THE_BEGINNING,
    modes: modePositions(release, query.mode as Mode[] | undefined),
    types: types && new Set(types),
    destIds: query.dest_id && new Set(query.dest_id),
    maxTenths: tenthsWithin(query.max_minutes),
  };
  return async (on: Release, geoid: Geoid) => {
    const county = countyWith(on, geoid);
    const { ordinal } = await locateBlock(on, county, geoid);
    const pois = await on.pois(county);
    const row = await on.poiRow(pois, ordinal);
    return poiPage(on.manifest.modes, pois, row, filter, NO_LIMIT).results;
  };
}
