import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { PUBLIC_SERVICES, type PublicServices } from '../../builder/fetch/public-files.ts';
import { DEFAULT_UNIT_BLOCKS } from '../../builder/plan/cut-units.ts';
import { THRESHOLDS, type Thresholds } from '../../builder/publish/judge-release.ts';
import { webUrl } from '../../proxy/http/web-url.ts';
import { withoutPassword } from '../../proxy/ledger/ledger-address.ts';
import { DIRECTIONS } from '../../shards/release/manifest.ts';
import { shownLocation, storeFault } from '../../shards/store/store-location.ts';
import type { Bytes } from '../../shards/units.ts';
import { HOST, METRICS_PORT } from './listening.ts';
import { STORE } from './locations.ts';
import { queueFault } from './queue-address.ts';
import { setting } from './setting.ts';
import {
  checkedSetting,
  countedSetting,
  integerSetting,
  percentSetting,
  sizeSetting,
  wordsSetting,
} from './setting-types.ts';

/** Settings of `tta plan`, in addition to its inputs. */
export const planSchema = z.object({
  STORE: setting(checkedSetting(storeFault), {
    description: 'where to publish: a folder, or s3://bucket/prefix',
    flag: '--out',
    value: '<store>',
    redact: shownLocation,
  }),
  UNIT_BLOCKS: setting(integerSetting(1, 10_000_000).prefault(String(DEFAULT_UNIT_BLOCKS)), {
    description: 'maximum blocks per unit of work; the counties of a unit are in memory together',
    flag: '--unit-blocks',
    value: '<n>',
  }),
});

function threads(description: string) {
  return setting(
    integerSetting(1, 256)
      .optional()
      .transform((n) => n ?? availableParallelism()),
    { description, value: '<n>', whenUnset: 'one per core' },
  );
}

/** Less than a process needs to start. */
const LEAST_MEMORY: Bytes = 64e6;

/** Resources of a process that searches. */
const resources = {
  WORKERS: threads('number of search threads'),
  MEMORY: setting(sizeSetting(LEAST_MEMORY).prefault('4GB'), {
    description: 'memory limit for the build',
    value: '<size>',
  }),
};

const queueDocs = {
  value: '<redis>',
  flag: '--queue',
  secret: true,
  redact: withoutPassword,
} as const;

const QUEUE = setting(checkedSetting(queueFault).optional(), {
  ...queueDocs,
  description: 'the Redis to queue jobs in, for workers to run; without it, this process runs them',
});

/** Settings of `tta export`. */
export const exportSchema = z.object({ STORE, WORKERS: threads('number of threads'), QUEUE });

/** Settings of `tta worker`. */
export const workerSchema = z.object({
  QUEUE: setting(checkedSetting(queueFault), {
    ...queueDocs,
    description: 'the Redis to take jobs from, redis://HOST[:PORT][/DB]',
  }),
  STORE,
  ...resources,
  HOST,
  METRICS_PORT,
});

/** Settings of `tta build`, in addition to its inputs. */
export const buildSchema = planSchema.extend({
  ...resources,
  QUEUE,
  DIRECTIONS: setting(
    wordsSetting(DIRECTIONS)
      .refine((given) => given.includes('from'), '"to" is derived from "from"; give from,to')
      .prefault(DIRECTIONS.join(',')),
    {
      description:
        'directions of block-to-block times: from, or from,to; without "to" the build is faster and smaller, but has no isochrones towards a place',
      value: '<list>',
    },
  ),
  ACCESS: setting(countedSetting.optional(), {
    description:
      'what to count within reach of every block: people, jobs, …, type:grocery_stores, …, or none; each is another table and map',
    value: '<list>',
    whenUnset:
      'people and jobs, also by wage, where the release has them, and twelve types of POIs',
  }),
});

/** Settings of `tta fetch`, in addition to its flags. */
export const fetchSchema = z.object({
  FETCH_CONTACT: setting(
    checkedSetting((text) =>
      /^[\x20-\x7e]+$/.test(text) && !/[()\\]/.test(text)
        ? null
        : 'is not a mail address or URL such as ops@example.org',
    ).optional(),
    {
      description:
        'mail address or URL at which servers can reach whoever downloads, sent in User-Agent',
      flag: '--contact',
      value: '<address>',
      whenUnset: 'only the program is named',
    },
  ),
  GEOFABRIK_URL: service('geofabrik', 'OpenStreetMap extracts'),
  CENSUS_URL: service('census', 'TIGER/Line files and PL 94-171 redistricting data'),
  LODES_URL: service('lodes', 'LODES, jobs and workers by block'),
  MOBILITY_URL: service('mobility', 'the catalogue of GTFS feeds, or its CSV file'),
  OVERTURE_URL: service('overture', 'the STAC catalogue of Overture Maps'),
});

function threshold(name: keyof Thresholds, of: string) {
  return setting(percentSetting().prefault(String(THRESHOLDS[name])), {
    description: `largest percentage of ${of}`,
    value: '<percent>',
  });
}

/** Settings of `tta refresh`, in addition to those of its build and its download. */
export const refreshSchema = z.object({
  MAX_FEEDS_LOST: threshold('feedsLost', 'feeds with service before that may have none'),
  MAX_BLOCKS_CUT_OFF: threshold(
    'blocksCutOff',
    'a county’s blocks with a street nearby that may lose it',
  ),
  MAX_TIMES_MOVED: threshold(
    'timesMoved',
    'times to the nearest that may move by five minutes or more, come or go',
  ),
  MAX_POIS_CHANGED: threshold('poisChanged', 'POIs of a type that may go, or be new'),
  WEBHOOK_URL: setting(webUrl('https://hooks.example.org').optional(), {
    description: 'where events about releases are sent, as Standard Webhooks specifies',
    secret: true,
    whenUnset: 'none are sent',
    needs: ['WEBHOOK_SECRET'],
  }),
  WEBHOOK_SECRET: setting(
    z
      .string()
      .transform((text, context) => {
        const key = webhookKey(text);
        if (key !== null) return key;
        context.addIssue('is not whsec_ followed by 24 to 64 random bytes in base64');
        return z.NEVER;
      })
      .optional(),
    {
      description: 'signs events: whsec_ and 24 to 64 random bytes in base64',
      secret: true,
      needs: ['WEBHOOK_URL'],
    },
  ),
});

const [SHORTEST_KEY, LONGEST_KEY] = [24, 64];

/** Decodes a secret in the form of Standard Webhooks; null if it is not one. */
function webhookKey(secret: string): Uint8Array | null {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? '';
  const key = Buffer.from(base64, 'base64');
  return key.length >= SHORTEST_KEY && key.length <= LONGEST_KEY ? key : null;
}

function service(name: keyof PublicServices, what: string) {
  const type = webUrl(PUBLIC_SERVICES[name])
    // Paths are appended to the URL.
    .transform((url) => url.replace(/\/+$/, ''))
    .prefault(PUBLIC_SERVICES[name]);
  return setting(type, { description: `source of ${what}`, value: '<url>' });
}
