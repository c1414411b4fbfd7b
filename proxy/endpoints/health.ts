import { z } from 'zod';
import { freeEndpoint } from '../endpoint.ts';
import { NONE } from '../openapi/parameters.ts';

export const health = freeEndpoint({
  access: 'free',
  path: '/v1/health',
  operationId: 'getHealth',
  summary: 'Whether the process is alive',
  description: 'Touches no backend.',
  tag: 'Service',
  params: NONE,
  query: NONE,
  response: z.object({ status: z.literal('ok'), version: z.string() }),
  example: { status: 'ok', version: '0.1.0' },
  problems: [],
  cache: 'never',
  rateLimited: false,
  answer: ({ config }) => ({ body: { status: 'ok', version: config.version } }),
});

const check = z.enum(['ok', 'unavailable']);

export const ready = freeEndpoint({
  access: 'free',
  path: '/v1/ready',
  operationId: 'getReady',
  summary: 'Whether requests can be answered',
  description: 'Asks each backend. 503 when one of them does not answer.',
  tag: 'Service',
  params: NONE,
  query: NONE,
  response: z.object({ ready: z.boolean(), checks: z.object({ store: check, ledger: check }) }),
  example: { ready: true, checks: { store: 'ok', ledger: 'ok' } },
  problems: [],
  cache: 'never',
  rateLimited: false,
  otherStatus: 503,
  async answer({ releases, ledger }) {
    const state = (probe: Promise<unknown>) =>
      probe.then(() => 'ok' as const).catch(() => 'unavailable' as const);
    const [store, accounts] = await Promise.all([state(releases.ping()), state(ledger.ping())]);
    const isReady = store === 'ok' && accounts === 'ok';
    return {
      status: isReady ? 200 : 503,
      body: { ready: isReady, checks: { store, ledger: accounts } },
    };
  },
});
