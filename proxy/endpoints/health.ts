import { z } from 'zod';
import { raceTimer } from '../../shards/concurrency/race-timer.ts';
import { numberWord } from '../../shards/number-words.ts';
import { freeEndpoint } from '../endpoint.ts';
import { NONE } from '../fields/field.ts';
import type { ProxyServices } from '../services.ts';

export const health = freeEndpoint({
  access: 'free',
  path: '/v1/health',
  operationId: 'getHealth',
  summary: 'Check whether the process is alive',
  description: 'Touches no backend.',
  tag: 'Service',
  params: NONE,
  query: NONE,
  responseDescription: 'The process is alive.',
  response: z.object({ status: z.literal('ok'), version: z.string() }),
  example: { status: 'ok', version: '0.1.0' },
  problems: [],
  cache: 'never',
  respond: ({ config }) => ({ body: { status: 'ok', version: config.version } }),
});

const BACKEND_TIMEOUT_MS = 2_000;

/** Awaits the response of a backend, which counts as unavailable if too late for a probe. */
function inTime<T>(response: Promise<T>): Promise<T | 'unavailable'> {
  const unavailable = () => 'unavailable' as const;
  return raceTimer(response.catch(unavailable), BACKEND_TIMEOUT_MS, unavailable);
}

/** Backend checks in progress, shared by concurrent probes, since probes are not rate-limited. */
const checksInProgress = new WeakMap<ProxyServices, ReturnType<typeof checkBackends>>();
function sharedCheck(services: ProxyServices): ReturnType<typeof checkBackends> {
  const underWay =
    checksInProgress.get(services) ??
    checkBackends(services).finally(() => checksInProgress.delete(services));
  checksInProgress.set(services, underWay);
  return underWay;
}

function checkBackends(services: ProxyServices) {
  return Promise.all([inTime(services.releases.standing()), inTime(accountsOf(services))]);
}

/** Checks what requests with a key need: the ledger, including its cursor secret. */
async function accountsOf(services: ProxyServices): Promise<'ok'> {
  await services.ledger.ping();
  void services.cursors.sealer;
  return 'ok';
}

const check = z.enum(['ok', 'unavailable']);

export const ready = freeEndpoint({
  access: 'free',
  path: '/v1/ready',
  operationId: 'getReady',
  summary: 'Check whether the service is ready',
  description:
    `Queries each backend. 503 if one does not respond within ${numberWord(BACKEND_TIMEOUT_MS / 1000)} ` +
    'seconds, and during shutdown. `release` is `held` while the served release is not the ' +
    'latest one promoted, because that one has not been opened yet or cannot be; requests are ' +
    'still served.',
  tag: 'Service',
  params: NONE,
  query: NONE,
  responseDescription: 'The service is ready.',
  response: z.object({
    ready: z.boolean(),
    checks: z.object({
      store: check,
      release: z.enum(['current', 'held', 'unavailable']),
      ledger: check,
    }),
  }),
  example: {
    ready: true,
    checks: { store: 'ok', release: 'current', ledger: 'ok' },
  },
  problems: [],
  cache: 'never',
  otherStatus: 503,
  async respond(services) {
    const [release, accounts] = await sharedCheck(services);
    const store = release === 'unavailable' ? 'unavailable' : 'ok';
    const isReady = store === 'ok' && accounts === 'ok' && !services.shutdown.hasBegun;
    return {
      status: isReady ? 200 : 503,
      ...(isReady && { release: services.releases.current.version }),
      body: {
        ready: isReady,
        checks: { store, release, ledger: accounts },
      },
    };
  },
});
