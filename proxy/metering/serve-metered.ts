import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Charge } from '../../portal/accounts/ledger.ts';
import type { Release } from '../../shards/release.ts';
import type { MeteredEndpoint, MeteredPlan } from '../endpoint.ts';
import { matchesAny, matchesEtag, strongEtag } from '../http/conditional.ts';
import { parseInput } from '../http/parse-input.ts';
import { Problem } from '../http/problem.ts';
import type { Services } from '../services.ts';
import { type Admitted, admit } from './admission.ts';
import type { CachedAnswer } from './answer-cache.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const VARY = 'Authorization, Accept-Encoding, Accept';
const MINIMUM_CHARGE = 1;
/** Tokens come back when somebody buys some: nothing to wait a known time for. */
const EXHAUSTED_RETRY_SECONDS = '3600';

/**
 * The way of every metered GET, in this order: key and rate, validation, If-None-Match, reading,
 * debit, answer. What fails before the debit costs nothing; what is debited and then not delivered
 * to the socket is refunded. The release is taken once and kept to the end.
 */
export function serveMetered(endpoint: MeteredEndpoint, services: Services) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admitted = await admit(services.ledger, request, reply);
    const input = parseInput(endpoint, request);
    const release = services.releases.current;
    const plan = endpoint.plan(release, input, services);
    const etag = strongEtag(plan.canonical, plan.dependsOn);

    const ifNoneMatch = request.headers['if-none-match'];
    if (ifNoneMatch !== undefined) {
      const any = matchesAny(ifNoneMatch);
      if (any) await endpoint.locate(release, plan);
      if (any || matchesEtag(ifNoneMatch, etag)) return notModified(reply, etag);
    }

    const answer =
      services.answers.get(etag) ?? (await make(endpoint, services, release, plan, etag));
    const cost = Math.max(MINIMUM_CHARGE, answer.rows);
    if (request.method === 'HEAD') return head(reply, etag, answer, cost, admitted);
    return charge(services, request, reply, etag, answer, cost, admitted);
  };
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

function notModified(reply: FastifyReply, etag: string): FastifyReply {
  return reply.code(304).headers({ etag, 'cache-control': 'public, no-cache', vary: VARY }).send();
}

function head(
  reply: FastifyReply,
  etag: string,
  answer: CachedAnswer,
  cost: number,
  admitted: Admitted,
): FastifyReply {
  return reply
    .headers({
      ...answerHeaders(etag, answer),
      'x-tokens-cost': cost,
      'x-tokens-charged': 0,
      'x-tokens-remaining': admitted.balance,
    })
    .send(answer.body);
}

async function charge(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  answer: CachedAnswer,
  tokens: number,
  { account, keyId }: Admitted,
): Promise<FastifyReply> {
  const due: Charge = { account, keyId, tokens, atMs: Date.now() };
  const debit = await services.ledger.debit(due);
  if (debit.outcome === 'insufficient') {
    throw new Problem(
      'tokens-exhausted',
      `the answer costs ${tokens} tokens and ${debit.balance} are left; nothing was charged`,
      { tokens_required: tokens, tokens_remaining: debit.balance },
      { 'retry-after': EXHAUSTED_RETRY_SECONDS },
    );
  }
  refundUnlessDelivered(services, request, reply, due);
  return reply
    .headers({
      ...answerHeaders(etag, answer),
      'x-tokens-charged': tokens,
      'x-tokens-remaining': debit.balance,
    })
    .send(answer.body);
}

function answerHeaders(etag: string, answer: CachedAnswer) {
  return {
    etag,
    'cache-control': 'public, no-cache',
    vary: VARY,
    'content-type': JSON_TYPE,
    'content-length': answer.body.length,
  };
}

/** The socket may have closed before the answer left it: then the debit is undone. */
function refundUnlessDelivered(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  due: Charge,
): void {
  const refund = () => {
    if (reply.raw.writableFinished) return;
    services.ledger.refund(due).catch((error) => {
      request.log.error({ err: error, reqId: request.id, due }, 'refund failed');
    });
  };
  if (reply.raw.destroyed) refund();
  else reply.raw.once('close', refund);
}
