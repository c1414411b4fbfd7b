import { setTimeout as sleep } from 'node:timers/promises';
import { METERED_POSTS } from '../routes.ts';
import * as bodies from './bodies.ts';
import type { HostileConnection } from './hostile-connection.ts';

/**
 * The accounts of the hostile client: one for each way of handling responses, so that its books
 * show the effect of that way.
 */
export const HOSTILE_ACCOUNTS = [
  /** Sends requests that are refused: must never be charged. */
  'refused',
  /** Reads everything it requests: must be charged for exactly that. */
  'paying',
  /** Requests more than the kernel buffers, and reads nothing: must pay for the buffered part. */
  'neglecting',
  /** Requests more than the kernel buffers, and resets midway: must pay for the buffered part. */
  'breaking',
  /**
   * Repeats a request with an Idempotency-Key until all of it has arrived: must pay once per key.
   */
  'repeating',
  /** Requests little and resets at once: must pay for no more than it requested. */
  'leaving',
] as const;
export type HostileAccount = (typeof HOSTILE_ACCOUNTS)[number];

/** The attackers' knowledge of the service. */
export interface Targets {
  /** A well-formed key that was never issued. */
  readonly unknownKey: string;
  /** As many blocks with rows as a batch accepts. */
  readonly geoids: readonly string[];
}

/** The inputs of an attack; `turn` is the number of its previous runs. */
interface Means extends Targets {
  readonly key: string;
  readonly turn: number;
}

interface Attack {
  /** The account whose key the attack uses. */
  readonly as: HostileAccount;
  run(on: HostileConnection, means: Means): Promise<unknown>;
}

const PIPELINED = 50;
const MAX_TRIES = 20;
const NEGLECTED_MS = 1_500;
const ENOUGH_TO_BREAK_OFF = 100_000;
const AREAL = '/v1/blocks/query';
const ROUTES = METERED_POSTS.map(({ route }) => route);
const NO_HTTP = ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', '\0'.repeat(5000), 'GET\r\n\r\n'];

function pick<T>(list: readonly T[], turn: number): T {
  return list[turn % list.length];
}

function request(method: string, path: string, key?: string, headers = ''): string {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${authorization}${headers}\r\n`;
}

function post(path: string, key: string, body: Buffer | string, headers = ''): Buffer {
  const bytes = Buffer.from(body);
  const about = `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n${headers}`;
  return Buffer.concat([Buffer.from(request('POST', path, key, about)), bytes]);
}

const summary = (geoid: string) => `/v1/blocks/${geoid}/summary`;
/** Route of a batch of ten megabytes of rows. */
export const LARGEST = '/v1/blocks/pois';
const largest = ({ geoids, key }: Means, headers = '') =>
  post(LARGEST, key, JSON.stringify({ origins: geoids }), headers);

/**
 * Repeats a request with an Idempotency-Key until it arrives in full: a service with more unread
 * output than it has memory for disconnects readers.
 */
async function askUntilWhole(on: HostileConnection, batch: Buffer): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if ((await on.ask(batch)).length > 0) return;
  }
  throw new Error(`a batch did not come whole in ${MAX_TRIES} tries`);
}

/** Sends one refused body of a kind to a route. */
function refused(
  kinds: readonly ((route: string) => Buffer)[],
  routes: readonly string[] = ROUTES,
): Attack {
  return {
    as: 'refused',
    run(on, { key, turn }) {
      const route = pick(routes, turn);
      const kind = pick(kinds, turn);
      return on.ask(post(route, key, kind(route)));
    },
  };
}

/** Sends many requests at once, and reads the responses. */
function pipelined(
  as: HostileAccount,
  one: (means: Means, i: number) => string,
  { isHead = false } = {},
): Attack {
  return {
    as,
    run(on, means) {
      const requests = Array.from({ length: PIPELINED }, (_, i) => one(means, means.turn + i));
      return on.ask(requests.join(''), { responses: PIPELINED, isHead });
    },
  };
}

/** The attacks of hostile clients, by name. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'a megabyte of bad origins': refused(bodies.BAD_ORIGINS),
  'a megabyte of unknown members': refused([bodies.unknownMembers]),
  'deep nesting': refused(bodies.DEEP),
  'a megabyte of empty rings': refused(bodies.EMPTY_RINGS, [AREAL]),
  'a comb that crosses itself': refused([bodies.crossingComb], [AREAL]),
  'a hole outside its shell': refused([bodies.holeOutside], [AREAL]),
  'parts far apart': {
    as: 'paying',
    run: (on, { key }) => on.ask(post(AREAL, key, bodies.farParts())),
  },
  'a body that never ends': {
    as: 'refused',
    run(on, { key }) {
      const about = 'Content-Type: application/json\r\nContent-Length: 999999999\r\n';
      return on.ask(request('POST', '/v1/blocks/summary', key, about));
    },
  },
  'queries of 16 kB': {
    as: 'refused',
    run(on, { key, turn }) {
      const path = pick(['/v1/health', '/v1/plans', '/v1/places', '/v1/pois'], turn);
      const names = Array.from({ length: 3000 }, (_, i) => i + turn);
      return on.ask(request('GET', `${path}?${names.join('&').slice(0, 15_000)}`, key));
    },
  },
  'costly place searches': pipelined('refused', (_, i) => {
    const q = `${pick(['a', 'e', 'o%20n', '%CC%81', 'zz'], i)}${i % 3 === 0 ? i : ''}`;
    return request('GET', `/v1/places?limit=${1 + (i % 20)}&q=${q}`);
  }),
  documents: pipelined('refused', (_, i) =>
    request('GET', pick(['/openapi.json', '/docs', '/v1/plans', '/v1/last-updated'], i)),
  ),
  'a flood of probes': pipelined('refused', () => request('GET', '/v1/health')),
  'invalid keys': pipelined('refused', ({ unknownKey, geoids }, i) => {
    const key = pick([unknownKey, `${unknownKey}x`, 'ta_live_', 'x'.repeat(8000)], i);
    return request('GET', summary(geoids[0]), key);
  }),
  'altered cursors': pipelined('refused', ({ key, geoids }, i) => {
    const cursor = Buffer.from(`altered in turn ${i} `.repeat(4)).toString('base64url');
    return request('GET', `/v1/blocks/${pick(geoids, i)}/pois?cursor=${cursor}`, key);
  }),
  'what is no HTTP': { as: 'refused', run: (on, { turn }) => on.ask(pick(NO_HTTP, turn)) },
  'half a header': {
    as: 'refused',
    run(on, { key, geoids }) {
      const whole = request('GET', summary(geoids[0]), key);
      return on.neglect(whole.slice(0, whole.length / 2), NEGLECTED_MS);
    },
  },
  'half a body': {
    as: 'refused',
    run(on, { key }) {
      const whole = post('/v1/blocks/summary', key, '{"origins":["990010001001000"]}');
      return on.neglect(whole.subarray(0, whole.length - 10), NEGLECTED_MS);
    },
  },
  'errors that nobody reads': {
    as: 'refused',
    run(on, { key }) {
      const one = post('/v1/blocks/summary', key, bodies.manyFaults());
      return on.neglect(Buffer.concat(Array(200).fill(one)), NEGLECTED_MS);
    },
  },
  'paid responses that nobody reads': {
    as: 'neglecting',
    run: (on, means) => on.neglect(largest(means), NEGLECTED_MS),
  },
  'resets in mid-response': {
    as: 'breaking',
    run: (on, means) => on.breakOff(largest(means), ENOUGH_TO_BREAK_OFF),
  },
  'resets at once': {
    as: 'leaving',
    async run(on, { key, geoids, turn }) {
      on.send(request('GET', summary(geoids[0]), key));
      await sleep(turn % 5);
      on.reset();
    },
  },
  'repeats after a reset': {
    as: 'repeating',
    async run(on, means) {
      const batch = largest(means, `Idempotency-Key: reset ${means.turn}\r\n`);
      await on.breakOff(batch, ENOUGH_TO_BREAK_OFF);
      await askUntilWhole(on, batch);
    },
  },
  pipelining: pipelined('paying', ({ key, geoids }, i) =>
    request('GET', summary(pick(geoids, i)), key),
  ),
  'a sweep of HEAD': pipelined(
    'paying',
    ({ key, geoids }, i) => request('HEAD', summary(pick(geoids, i)), key),
    { isHead: true },
  ),
  'the largest batches': {
    as: 'repeating',
    run: (on, means) => askUntilWhole(on, largest(means, `Idempotency-Key: ${means.turn}\r\n`)),
  },
  'ever new searches': pipelined('paying', ({ key }, i) =>
    request('GET', `/v1/pois?lat=36.${1000 + (i % 9000)}&lon=-70&radius_m=50000&limit=10`, key),
  ),
};
