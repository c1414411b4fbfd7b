import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Charge, RateState } from '../../portal/accounts/metering.ts';
import { PLANS } from '../../portal/plans.ts';
import type { Release } from '../../shards/release.ts';
import type { MeteredEndpoint } from '../endpoint.ts';
import { type Format, formatFor, formatsOf, GEOJSON_OBJECT } from '../formats/negotiate.ts';
import { CACHE_CONTROL } from '../http/cache-control.ts';
import { matchesAny, matchesEtag, strongEtag, variantEtag } from '../http/conditional.ts';
import { acceptsGzip } from '../http/content-coding.ts';
import { nextLink } from '../http/next-link.ts';
import { parseInput } from '../http/parse-input.ts';
import { writeAnswer } from '../http/raw-answer.ts';
import type { Services } from '../services.ts';
import { type Admitted, admit } from './admission.ts';
import type { FinishedAnswer } from './answer-cache.ts';
import { compressed, finishAnswer, inflated } from './finish-answer.ts';
import { meteredHeaders } from './metered-headers.ts';
import type { MeteredPlan } from './metered-plan.ts';
import { pay, writePaid } from './payment.ts';

/**
 * The way of every metered GET, in this order: key and rate, validation, If-None-Match, reading,
 * debit, answer. What fails before the debit costs nothing; what is debited and then not delivered
 * to the socket is refunded. The release is taken once and kept to the end.
 */
export function serveMetered(endpoint: MeteredEndpoint, services: Services) {
  const { plans } = services;
  const formats = formatsOf(endpoint.table);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const admitted = await admit(services.ledger, request, reply, endpoint.freeForMembers);
    const release = services.releases.current;
    const known = plans.get(release, request.raw.url!);
    const { plan, etag: base } =
      known ??
      (await plans.work(release, request.raw.url!, async () => {
        const plan = await endpoint.plan(release, parseInput(endpoint, request), services);
        return { plan, etag: strongEtag(plan.canonical, plan.dependsOn) };
      }));
    const isFree = endpoint.freeForMembers === true && admitted.member;
    const format = formatFor(request.headers.accept, plan.isGeoJson ? GEOJSON_OBJECT : formats);
    const etag = format === 'json' ? base : variantEtag(base, format);

    const ifNoneMatch = request.headers['if-none-match'];
    if (ifNoneMatch !== undefined) {
      const any = matchesAny(ifNoneMatch);
      if (any) await endpoint.locate?.(release, plan);
      const zipped = variantEtag(etag, 'gzip');
      const isPlain = any || matchesEtag(ifNoneMatch, etag);
      if (isPlain || matchesEtag(ifNoneMatch, zipped)) {
        const headers = sharedHeaders(isPlain ? etag : zipped, admitted.rate, plan);
        if (!isFree) headers.push('x-tokens-charged', 0, 'x-tokens-remaining', admitted.balance);
        return writeUnpaid(services, request, reply, 304, headers);
      }
    }

    const plain =
      services.answers.get(etag) ?? (await make(endpoint, services, release, plan, etag, format));
    const wantsGzip = acceptsGzip(request.headers['accept-encoding']);
    const isAsWanted = !wantsGzip && plain.contentEncoding === null;
    const answer = isAsWanted ? plain : await recoded(services, plain, etag, wantsGzip);
    const variant = answer.contentEncoding === null ? etag : variantEtag(etag, 'gzip');
    const status = answer.contentType === null ? 204 : 200;
    const headers = sharedHeaders(variant, admitted.rate, plan);
    if (request.method === 'HEAD') {
      // Nothing else of the answer, not even its length: bisected, it would tell rows.
      if (isFree) return writeUnpaid(services, request, reply, status, headers);
      headers.push('x-tokens-cost', answer.tokens);
      // What a GET gives for nothing costs no more to ask about.
      const tokens = Math.min(PLANS.charges.minimum, answer.tokens);
      return deliver(services, request, reply, admitted, tokens, status, headers);
    }
    pushContentHeaders(headers, request, answer);
    const { body, tokens } = answer;
    if (isFree) return writeUnpaid(services, request, reply, status, headers, body);
    return deliver(services, request, reply, admitted, tokens, status, headers, body);
  };
}

/** The answer compressed, where it is worth it, or for one who takes no compression without it. */
async function recoded(
  { answers }: Services,
  plain: FinishedAnswer,
  etag: string,
  wantsGzip: boolean,
): Promise<FinishedAnswer> {
  if (!wantsGzip) return inflated(plain);
  const zipped = variantEtag(etag, 'gzip');
  return answers.get(zipped) ?? answers.make(zipped, () => compressed(plain));
}

/** Takes what an answer costs, and writes it. */
async function deliver(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { account, keyId, balance }: Admitted,
  tokens: number,
  status: number,
  headers: (string | number)[],
  body?: Buffer,
): Promise<void> {
  const { ledger, outbox } = services;
  if (tokens === 0) {
    headers.push('x-tokens-charged', 0, 'x-tokens-remaining', balance);
    return writeUnpaid(services, request, reply, status, headers, body);
  }
  const due: Charge = { account, keyId, tokens, atMs: Date.now() };
  const remaining = await pay(ledger, due);
  headers.push('x-tokens-charged', tokens, 'x-tokens-remaining', remaining);
  return writePaid(
    request,
    tokens,
    (undelivered) => ledger.refund(due, undelivered),
    () => writeAnswer(outbox, request, reply, status, headers, body),
  );
}

/** Writes an answer that costs nothing, so that nobody minds how much of it arrives. */
async function writeUnpaid(
  { outbox }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: readonly (string | number)[],
  body?: Buffer,
): Promise<void> {
  await writeAnswer(outbox, request, reply, status, headers, body);
}

function sharedHeaders(etag: string, rate: RateState, plan: MeteredPlan): (string | number)[] {
  const cacheControl = plan.isPinned ? CACHE_CONTROL.immutable : CACHE_CONTROL.revalidated;
  return ['etag', etag, ...meteredHeaders(cacheControl, rate)];
}

function pushContentHeaders(
  headers: (string | number)[],
  request: FastifyRequest,
  { body, contentType, contentEncoding, beside }: FinishedAnswer,
): void {
  if (contentType === null) return;
  headers.push('content-type', contentType, 'content-length', body.length);
  if (contentEncoding) headers.push('content-encoding', contentEncoding);
  for (const name in beside) headers.push(name, beside[name]);
  const nextCursor = beside['x-next-cursor'];
  if (nextCursor !== undefined) headers.push('link', nextLink(request.raw.url!, nextCursor));
}

function make(
  endpoint: MeteredEndpoint,
  services: Services,
  release: Release,
  plan: MeteredPlan,
  etag: string,
  format: Format,
): Promise<FinishedAnswer> {
  return services.answers.make(etag, async () => {
    const located = await endpoint.locate?.(release, plan);
    const answer = await endpoint.answer(release, plan, services, located);
    return finishAnswer(answer, format, endpoint.table);
  });
}
