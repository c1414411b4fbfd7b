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
  answer: ({ config }) => ({ body: { status: 'ok', version: config.version } }),
});

const check = z.enum(['ok', 'unavailable']);

export const ready = freeEndpoint({
  access: 'free',
  path: '/v1/ready',
  operationId: 'getReady',
  summary: 'Whether requests can be answered',
  description:
    'Asks each backend. 503 when one of them does not answer. `release` is `held` while the release ' +
    'in force is not the one that was promoted last, since that has not been opened yet or cannot ' +
    'be: requests are answered all the same.',
  tag: 'Service',
  params: NONE,
  query: NONE,
  response: z.object({
    ready: z.boolean(),
    checks: z.object({
      store: check,
      release: z.enum(['current', 'held', 'unavailable']),
      ledger: check,
    }),
  }),
  example: { ready: true, checks: { store: 'ok', release: 'current', ledger: 'ok' } },
  problems: [],
  cache: 'never',
  otherStatus: 503,
  async answer({ releases, ledger }) {
    const [release, accounts] = await Promise.all([
      releases.standing().catch(() => 'unavailable' as const),
      ledger.ping().then(
        () => 'ok' as const,
        () => 'unavailable' as const,
      ),
    ]);
    const store = release === 'unavailable' ? 'unavailable' : 'ok';
    const isReady = store === 'ok' && accounts === 'ok';
    return {
      status: isReady ? 200 : 503,
      body: { ready: isReady, checks: { store, release, ledger: accounts } },
    };
  },
});
