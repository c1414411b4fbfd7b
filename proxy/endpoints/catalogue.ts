import { z } from 'zod';
import { countedType } from '../../shards/access/access-columns.ts';
import { LINK_MODES, MODES } from '../../shards/modes.ts';
import { coverageGaps, dataCoverage } from '../../shards/release/data-coverage.ts';
import { statedFeedSchema, statedFeeds } from '../../shards/release/feed-state.ts';
import {
  changesSchema,
  poisOfTypeSchema,
  unlinkedBlocksSchema,
} from '../../shards/release/release-notes.ts';
import { noiseOf } from '../../shards/weights/noise.ts';
import { weightSchema } from '../../shards/weights/weight.ts';
import { type FreeEndpoint, freeEndpoint } from '../endpoint.ts';
import { NONE } from '../fields/field.ts';
import { PLANS } from '../plans.ts';
import { modeSchema } from '../queries/rows/row-columns.ts';
import { nameOfCounty, noise } from '../schemas/schemas.ts';

const free = {
  access: 'free',
  tag: 'Catalogue',
  params: NONE,
  query: NONE,
  problems: [],
  cache: 'catalogue',
} as const;

const lastUpdated = freeEndpoint({
  ...free,
  path: '/v1/last-updated',
  operationId: 'getLastUpdated',
  summary: 'When the data was last updated',
  description:
    'When the current release was first published, and its name. The same from every server; after ' +
    'a rollback, the date of the restored release.',
  responseDescription: 'The name of the current release and when it was first published.',
  response: z.object({ last_updated: z.iso.datetime(), release: z.string() }),
  respond({ releases }) {
    const { latest } = releases.current;
    return { body: { last_updated: latest.published_at, release: latest.release } };
  },
});

const modes = freeEndpoint({
  ...free,
  path: '/v1/meta/modes',
  operationId: 'getModes',
  summary: 'Travel modes and their ids',
  description:
    'The modes in the current release. Block, point and POI routes use labels; areal rows have ' +
    'both label and id.',
  responseDescription: 'The travel modes.',
  response: z.object({
    modes: z.array(z.object({ mode_id: z.int(), mode: modeSchema, description: z.string() })),
  }),
  respond({ releases }) {
    const { modes: held } = releases.current.manifest;
    const listed = MODES.filter(({ mode }) => held.includes(mode)).map(
      ({ modeId, mode, description }) => ({ mode_id: modeId, mode, description }),
    );
    return { body: { modes: listed } };
  },
});

const destinationTypes = freeEndpoint({
  ...free,
  path: '/v1/meta/destination-types',
  operationId: 'getDestinationTypes',
  summary: 'Taxonomy of destination types',
  description:
    'The types in the current release. Every POI is of leaf types; a parent stands for all leaves ' +
    'below it.',
  responseDescription: 'The destination types.',
  response: z.object({
    destination_types: z.array(
      z.object({
        dest_type_id: z.int(),
        name: z.string(),
        label: z.string(),
        is_leaf: z.boolean(),
        leaf_ids: z.array(z.int()),
        parent_id: z.int().nullable(),
      }),
    ),
  }),
  respond({ releases }) {
    const { taxonomy } = releases.current;
    const destination_types = taxonomy.types.map(({ dest_type_id, name, label, parent_id }) => {
      const leaf_ids = taxonomy.leavesOf(dest_type_id);
      const is_leaf = leaf_ids.length === 1 && leaf_ids[0] === dest_type_id;
      return { dest_type_id, name, label, is_leaf, leaf_ids, parent_id };
    });
    return { body: { destination_types } };
  },
});

const weights = freeEndpoint({
  ...free,
  path: '/v1/meta/weights',
  operationId: 'getWeights',
  summary: 'Weights of blocks: people, jobs, groups',
  description:
    'The weights of the blocks of the current release, for coverage and opportunities. ' +
    '`people` is always there. `modelled`: counts of block groups or tracts were spread over their ' +
    'blocks by population. `noise`: how the source changed the counts to protect people, and how ' +
    'far they are off; null if it is not known to.',
  responseDescription: 'The weights.',
  response: z.object({
    weights: z.array(
      weightSchema.extend({
        area_access: z.boolean().meta({
          description: 'Whether the release counts it within reach of every block.',
        }),
        noise: noise.nullable(),
      }),
    ),
    area_access_types: z.array(z.int()).meta({
      description: 'Ids of the types whose POIs the release counts within reach of every block.',
    }),
  }),
  respond({ releases }) {
    const { weights, manifest } = releases.current;
    const { access } = manifest;
    return {
      body: {
        weights: weights.map((one) => ({
          ...one,
          area_access: access.includes(one.weight),
          noise: noiseOf(one),
        })),
        area_access_types: access.flatMap((of) => countedType(of) ?? []),
      },
    };
  },
});

/** The document lists the street modes of every release here, and served, those of its own. */
const unlinkedBlocks = unlinkedBlocksSchema.extend({ mode: z.enum(LINK_MODES) });

const vintage = freeEndpoint({
  ...free,
  path: '/v1/meta/vintage',
  operationId: 'getVintage',
  summary: 'Version of each data component',
  description:
    'A version changes with everything the component was made from: files, parameters, and how ' +
    'they were processed. The date is the effective date of the data. Also what the release holds, ' +
    'and what changed since the one before. `/releases.atom` is a feed of releases.',
  responseDescription: 'The data components with their versions and dates.',
  response: z.object({
    components: z.array(
      z.object({ component: z.string(), version: z.string(), effective_date: z.iso.date() }),
    ),
    coverage: z
      .object({
        states: z.int(),
        counties: z.int(),
        population: z.int(),
        blocks: z.int(),
        routable_blocks: z.int(),
      })
      .meta({
        description:
          'The counties of the release, their population of the 2020 census, and how many of their ' +
          'blocks have a street nearby.',
      }),
    coverage_gaps: z
      .array(
        z.object({
          county: z.string(),
          name: nameOfCounty,
          blocks: z.int(),
          routable_blocks: z.int(),
        }),
      )
      .meta({
        description:
          'Counties with fewer than 80 % of their blocks near a street: their street data has a gap.',
      }),
    feeds: z.array(statedFeedSchema).meta({
      description: 'The GTFS feeds that were given for the release, used or not, by file.',
    }),
    before: z.string().nullable().meta({
      description: 'The release that was current before; null for the first, and if not known.',
    }),
    blocks_without_streets: z.array(unlinkedBlocks).nullable().meta({
      description: 'Blocks without a street nearby, by mode and reason; null if not counted.',
    }),
    pois: z.array(poisOfTypeSchema).nullable().meta({
      description: 'POIs by leaf type, and how many the release before had; null if not counted.',
    }),
    changes: changesSchema.nullable().meta({
      description: 'Changes since the release before; null without one, and if not known.',
    }),
  }),
  respond: ({ releases }) => {
    const { manifest, notes } = releases.current;
    return {
      body: {
        components: manifest.components,
        coverage: dataCoverage(manifest),
        coverage_gaps: coverageGaps(manifest),
        feeds: statedFeeds(manifest),
        before: notes?.before?.release ?? null,
        blocks_without_streets: notes?.blocks_without_streets ?? null,
        pois: notes?.pois ?? null,
        changes: notes?.changes ?? null,
      },
    };
  },
});

const queries = freeEndpoint({
  ...free,
  path: '/v1/plans',
  operationId: 'getPlans',
  summary: 'Free grant, membership and token packs',
  description: 'All prices, machine-readable.',
  responseDescription: 'Prices.',
  response: z.object({
    free_grant: z.object({ tokens: z.int() }),
    membership: z.object({
      price_usd: z.number(),
      interval: z.literal('month'),
      tokens_per_month: z.int(),
      isochrones_unmetered: z.boolean(),
    }),
    token_packs: z.array(z.object({ id: z.string(), tokens: z.int(), price_usd: z.number() })),
    charges: z.object({
      row: z.int(),
      isochrone_contour: z.int(),
      tile: z.int(),
      minimum: z.int(),
      area_minimum: z.int().meta({ description: 'The least that coverage of an area costs.' }),
      basket: z.int(),
      site: z.int().meta({ description: 'A site or a candidate.' }),
      sites_minimum: z.int(),
      changes: z.int(),
      explain: z.int(),
      exports: z.record(z.string(), z.int()).meta({
        description: 'A file of each exported table: of one county, or of the release.',
      }),
    }),
    account_url: z
      .url()
      .nullable()
      .meta({ description: 'Where to create keys and buy tokens; null if not configured.' }),
  }),
  respond: ({ config }) => ({ body: { ...PLANS, account_url: config.accountUrl ?? null } }),
});

export const catalogue: readonly FreeEndpoint[] = [
  lastUpdated,
  modes,
  destinationTypes,
  weights,
  vintage,
  queries,
];
