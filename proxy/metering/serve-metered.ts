import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Charge, RateState } from '../../portal/accounts/ledger.ts';
import type { Release } from '../../shards/release.ts';
import type { MeteredEndpoint, MeteredPlan } from '../endpoint.ts';
import { matchesAny, matchesEtag, strongEtag } from '../http/conditional.ts';
import { parseInput } from '../http/parse-input.ts';
import { Problem } from '../http/problem.ts';
import { policyHeader, rateHeader } from '../http/rate-headers.ts';
import { writeAnswer } from '../http/raw-answer.ts';
import type { Services } from '../services.ts';
import { admit } from './admission.ts';
import type { CachedAnswer } from './answer-cache.ts';
import { PlanCache } from './plan-cache.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const VARY = 'Authorization, Accept-Encoding, Accept';
const REVALIDATE = 'public, no-cache';
const MINIMUM_CHARGE = 1;
/** Tokens come back when somebody buys some: nothing to wait a known time for. */
const EXHAUSTED_RETRY_SECONDS = '3600';

/**
 * The way of every metered GET, in this order: key and rate, validation, If-None-Match, reading,
 * debit, answer. What fails before the debit costs nothing; what is debited and then not delivered
 * to the socket is refunded. The release is taken once and kept to the end.
 */
export function serveMetered(endpoint: MeteredEndpoint, services: Services) {
  const plans = new PlanCache();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { account, keyId, balance, rate } = await admit(services.ledger, request, reply);
    const release = services.releases.current;
    const { plan, etag } = plans.get(release, request.raw.url!, () => {
      const plan = endpoint.plan(release, parseInput(endpoint, request), services);
      return { plan, etag: strongEtag(plan.canonical, plan.dependsOn) };
    });

    const ifNoneMatch = request.headers['if-none-match'];
    if (ifNoneMatch !== undefined) {
      const any = matchesAny(ifNoneMatch);
      if (any) await endpoint.locate(release, plan);
      if (any || matchesEtag(ifNoneMatch, etag)) {
        const headers = sharedHeaders(etag, rate);
        headers.push('x-tokens-charged', 0, 'x-tokens-remaining', balance);
        return writeAnswer(request, reply, 304, headers);
      }
    }

    const answer =
      services.answers.get(etag) ?? (await make(endpoint, services, release, plan, etag));
    const cost = Math.max(MINIMUM_CHARGE, answer.rows);
    const headers = sharedHeaders(etag, rate);
    headers.push('content-type', JSON_TYPE, 'content-length', answer.body.length);
    if (request.method === 'HEAD') {
      headers.push('x-tokens-cost', cost, 'x-tokens-charged', 0, 'x-tokens-remaining', balance);
      return writeAnswer(request, reply, 200, headers);
    }
    const due: Charge = { account, keyId, tokens: cost, atMs: Date.now() };
    const remaining = await debit(services, due);
    headers.push('x-tokens-charged', cost, 'x-tokens-remaining', remaining);
    refundUnlessDelivered(services, request, reply, due);
    return writeAnswer(request, reply, 200, headers, answer.body);
  };
}

function sharedHeaders(etag: string, rate: RateState): (string | number)[] {
  return [
    ...['etag', etag, 'cache-control', REVALIDATE, 'vary', VARY],
    ...['ratelimit-policy', policyHeader(rate), 'ratelimit', rateHeader(rate)],
  ];
}

function make(
  endpoint: MeteredEndpoint,
  services: Services,
  release: Release,
  plan: MeteredPlan,
  etag: string,
): Promise<CachedAnswer> {
  return services.answers.make(etag, async () => {
    await endpoint.locate(release, plan);
    const { body, rows } = await endpoint.answer(release, plan, services);
    return { body: Buffer.from(JSON.stringify(body)), rows };
  });
}

/** Takes the cost, and returns what is left; `tokens-exhausted` if there is not enough. */
async function debit(services: Services, due: Charge): Promise<number> {
  const { outcome, balance } = await services.ledger.debit(due);
  if (outcome === 'debited') return balance;
  throw new Problem(
    'tokens-exhausted',
    `the answer costs ${due.tokens} tokens and ${balance} are left; nothing was charged`,
    { tokens_required: due.tokens, tokens_remaining: balance },
    { 'retry-after': EXHAUSTED_RETRY_SECONDS },
  );
}

/** The connection may close before the answer has left it: then the debit is undone, once. */
function refundUnlessDelivered(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  due: Charge,
): void {
  const { raw } = reply;
  const { socket } = request.raw;
  let isSettled = false;
  const delivered = () => {
    isSettled = true;
    socket.off('close', lost);
  };
  const lost = () => {
    if (isSettled) return;
    isSettled = true;
    services.ledger.refund(due).catch((error) => {
      request.log.error({ err: error, reqId: request.id, due }, 'refund failed');
    });
  };
  if (raw.destroyed || socket.destroyed) {
    lost();
    return;
  }
  raw.once('finish', delivered);
  // An answer that waits behind another on its connection has no socket yet, and so would never
  // hear of its end.
  if (raw.socket === null) socket.once('close', lost);
  else raw.once('close', lost);
}
