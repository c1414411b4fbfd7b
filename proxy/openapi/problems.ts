import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { ProblemResponses, problemDocument } from '../http/problem-docs.ts';
import type { ProblemSlug } from '../http/problem-types.ts';
import type { Access } from './headers.ts';

const slugs = (...of: readonly ProblemSlug[]) => of;
const PROBE_PROBLEMS = slugs('invalid-parameters', 'key-in-url', 'internal-error');
const FREE_PROBLEMS = slugs(
  ...PROBE_PROBLEMS,
  'precondition-failed',
  'not-acceptable',
  'rate-limited',
  'overloaded',
  'store-unavailable',
);
const KEYED_PROBLEMS = slugs(
  'invalid-parameters',
  'key-in-url',
  'missing-key',
  'invalid-key',
  'account-disabled',
  'not-acceptable',
  'rate-limited',
  'internal-error',
  'overloaded',
  'debit-unavailable',
);
const METERED_PROBLEMS = slugs(
  ...KEYED_PROBLEMS,
  'precondition-failed',
  'tokens-exhausted',
  'store-unavailable',
);
const POSTED_PROBLEMS = slugs(
  ...METERED_PROBLEMS,
  'request-timeout',
  'payload-too-large',
  'unsupported-media-type',
  'idempotency-conflict',
);

export function problemsOf(endpoint: Endpoint): readonly ProblemSlug[] {
  return [...problemsOfAccess(endpoint), ...endpoint.problems];
}

export function problemsOfAccess(endpoint: Access): readonly ProblemSlug[] {
  if (endpoint.access === 'metered') return METERED_PROBLEMS;
  if (endpoint.access === 'posted') return POSTED_PROBLEMS;
  if (endpoint.access === 'keyed') return KEYED_PROBLEMS;
  return endpoint.cache === 'never' ? PROBE_PROBLEMS : FREE_PROBLEMS;
}

const problem = problemDocument
  .extend({
    tokens_remaining: z.int().optional().meta({
      description:
        'For `tokens-exhausted`: the balance. A price that depends on the number of rows is not disclosed.',
    }),
    tokens_required: z.int().optional().meta({
      description:
        'For `tokens-exhausted`: the price, if it follows from the request alone (contours, tiles, coverage, sites, trips, links).',
    }),
    account_url: z.url().optional().meta({
      description:
        'For `missing-key`, `invalid-key` and `tokens-exhausted`: where to create keys and buy tokens, if configured.',
    }),
    formats: z.array(z.string()).optional().meta({
      description: 'For `not-acceptable`: the media types of the route.',
    }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem.' });

function exampleMembers(slug: ProblemSlug, accountUrl: string | undefined) {
  const isOfAccounts = slug === 'missing-key' || slug === 'invalid-key';
  return {
    ...(slug === 'tokens-exhausted' && { tokens_remaining: 3 }),
    ...((isOfAccounts || slug === 'tokens-exhausted') &&
      accountUrl !== undefined && { account_url: accountUrl }),
    ...(slug === 'not-acceptable' && { formats: ['application/json', 'text/csv'] }),
  };
}

export function problemResponses(
  problemBase: string,
  accountUrl: string | undefined,
): ProblemResponses {
  const members = (slug: ProblemSlug) => exampleMembers(slug, accountUrl);
  return new ProblemResponses({ base: problemBase, schema: problem, members });
}
