import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Charge } from '../../portal/accounts/metering.ts';
import type { RateState } from '../../portal/accounts/rate-state.ts';
import type { Body } from '../../portal/http/body.ts';
import { CACHE_CONTROL } from '../../portal/http/cache-control.ts';
import { acceptsGzip } from '../../portal/http/content-coding.ts';
import { matchesAny, matchesEtag, variantEtag } from '../../portal/http/etag.ts';
import { parseInput } from '../../portal/http/parse-input.ts';
import { PLANS } from '../../portal/plans.ts';
import type { Asker, Askers } from '../../shards/fair-queue.ts';
import type { Release } from '../../shards/release.ts';
import type { MeteredEndpoint } from '../endpoint.ts';
import { type Format, formatFor, formatsOf, GEOJSON_OBJECT } from '../formats/negotiate.ts';
import { ROW_FORMATS } from '../formats/row-format.ts';
import { nextLink } from '../http/next-link.ts';
import { type HeaderList, putHeader, writeAnswer } from '../http/raw-answer.ts';
import { type Admitted, admit } from '../metering/admission.ts';
import type { FinishedAnswer } from '../metering/answer-cache.ts';
import { meteredHeaders, tokenHeaders } from '../metering/metered-headers.ts';
import type { MeteredPlan } from '../metering/metered-plan.ts';
import { handOver, pay } from '../metering/payment.ts';
import { strongEtag } from '../metering/strong-etag.ts';
import type { ProxyServices } from '../services.ts';
import { compressed, finishAnswer, inflated } from './finish-answer.ts';

/**
 * The way of every metered GET, in this order: key and rate, validation, If-None-Match, reading,
 * debit, answer. What fails before the debit costs nothing; what is debited and then not delivered
 * to the socket is refunded. The release is taken once and kept to the end.
 */
export function serveMetered(endpoint: MeteredEndpoint, services: ProxyServices) {
  const { plans } = services;
  const formats = formatsOf(endpoint.table);
  const route = `GET ${endpoint.path}`;
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
      if (any) await endpoint.locate?.(release, plan, admitted.account);
      const zipped = variantEtag(etag, 'gzip');
      const isPlain = any || matchesEtag(ifNoneMatch, etag);
      if (isPlain || matchesEtag(ifNoneMatch, zipped)) {
        const headers = sharedHeaders(isPlain ? etag : zipped, admitted.rate, plan);
        if (!isFree) headers.push(...tokenHeaders(0, admitted.balance));
        return writeUnpaid(services, request, reply, 304, headers);
      }
    }

    const plain =
      services.answers.get(etag) ??
      (await make(endpoint, services, admitted.account, release, plan, etag, format));
    const wantsGzip = acceptsGzip(request.headers['accept-encoding']);
    const isAsWanted = !wantsGzip && plain.contentEncoding === null;
    const answer = isAsWanted ? plain : await recoded(services, plain, etag, wantsGzip);
    const variant = answer.contentEncoding === null ? etag : variantEtag(etag, 'gzip');
    const status = answer.contentType === null ? 204 : 200;
    const headers = sharedHeaders(variant, admitted.rate, plan);
    if (request.method === 'HEAD') {
      // Nothing else of the answer, not even its length: bisected, it would tell rows.
      if (isFree) return writeUnpaid(services, request, reply, status, headers);
      putHeader(headers, 'x-tokens-cost', answer.tokens);
      // What a GET gives for nothing costs no more to ask about.
      const tokens = Math.min(PLANS.charges.minimum, answer.tokens);
      return deliver(services, request, reply, { admitted, route, tokens }, status, headers);
    }
    pushContentHeaders(headers, request, answer);
    const { body, tokens } = answer;
    if (isFree) return writeUnpaid(services, request, reply, status, headers, body);
    return deliver(services, request, reply, { admitted, route, tokens }, status, headers, body);
  };
}

/** The answer compressed, where it is worth it, or for one who takes no compression without it. */
async function recoded(
  { answers }: ProxyServices,
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
  services: ProxyServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { admitted, route, tokens }: { admitted: Admitted; route: string; tokens: number },
  status: number,
  headers: HeaderList,
  body?: Body,
): Promise<void> {
  const { ledger, outbox } = services;
  const { account, keyId, balance } = admitted;
  if (tokens === 0) {
    headers.push(...tokenHeaders(0, balance));
    return writeUnpaid(services, request, reply, status, headers, body);
  }
  const due: Charge = { account, keyId, route, tokens, atMs: Date.now() };
  const remaining = await pay(ledger, due);
  headers.push(...tokenHeaders(tokens, remaining));
  const { settled } = await handOver(
    request,
    tokens,
    (undelivered) => ledger.refund(due, undelivered),
    async () => ({ share: writeAnswer(outbox, request, reply, status, headers, body) }),
  );
  return settled;
}

/** Writes an answer that costs nothing, so that nobody minds how much of it arrives. */
async function writeUnpaid(
  { outbox }: ProxyServices,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: Readonly<HeaderList>,
  body?: Body,
): Promise<void> {
  await writeAnswer(outbox, request, reply, status, headers, body);
}

function sharedHeaders(etag: string, rate: RateState, plan: MeteredPlan): HeaderList {
  const cacheControl = plan.isPinned ? CACHE_CONTROL.immutable : CACHE_CONTROL.revalidated;
  return ['etag', etag, ...meteredHeaders(cacheControl, rate)];
}

function pushContentHeaders(
  headers: HeaderList,
  request: FastifyRequest,
  { body, contentType, contentEncoding, beside }: FinishedAnswer,
): void {
  if (contentType === null) return;
  putHeader(headers, 'content-type', contentType);
  putHeader(headers, 'content-length', body.length);
  if (contentEncoding) putHeader(headers, 'content-encoding', contentEncoding);
  headers.push(...Object.entries(beside).flat());
  const nextCursor = beside['x-next-cursor'];
  if (nextCursor !== undefined) putHeader(headers, 'link', nextLink(request.raw.url!, nextCursor));
}

function make(
  endpoint: MeteredEndpoint,
  services: ProxyServices,
  asker: Asker,
  release: Release,
  plan: MeteredPlan,
  etag: string,
  format: Format,
): Promise<FinishedAnswer> {
  const work = async (askers: Askers) => {
    const located = await endpoint.locate?.(release, plan, askers);
    const making = { ...services, askers, format: ROW_FORMATS[format] };
    const answer = await endpoint.answer(release, plan, making, located);
    return finishAnswer(answer, format, endpoint.table);
  };
  return services.answers.make(etag, work, asker);
}
