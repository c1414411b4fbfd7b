import { Turns } from '../shards/concurrency/turns.ts';
import type { Release } from '../shards/release/release.ts';
import {
  chosenBody,
  type Endpoint,
  type FreeEndpoint,
  type KeyedEndpoint,
  type MeteredEndpoint,
  type PostEndpoint,
} from './endpoint.ts';
import { NONE } from './fields/field.ts';
import { releaseAt, scopeOf, validFor } from './fields/served-words.ts';
import {
  compressed,
  finishResponse,
  inflated,
  isCompressible,
  WITHOUT_CONTENT,
} from './finish-response.ts';
import {
  type Format,
  formatFor,
  GEOJSON_OBJECT,
  JSON_ALONE,
  MEDIA_TYPES,
  offersOf,
} from './formats/negotiate.ts';
import { ROW_FORMATS } from './formats/row-format.ts';
import { Body } from './http/body.ts';
import {
  CACHE_CONTROL,
  etagOf,
  failedPrecondition,
  knownRepresentation,
  matchesAny,
  variantEtag,
} from './http/caching.ts';
import { acceptsGzip } from './http/content-encoding.ts';
import { parseJson, validBody } from './http/json-body.ts';
import { Problem } from './http/problem.ts';
import { parseInput } from './http/validation.ts';
import type { Charge } from './ledger/metering.ts';
import type { IdempotentRequest, Replay } from './ledger/replays.ts';
import {
  type HandedOver,
  mayAfford,
  requirePresence,
  tokensExhausted,
} from './metering/charges.ts';
import { cacheKeyOf, strongEtag } from './metering/etag.ts';
import type { Admitted, Answer, ApiRequest, Principal } from './metering/principal.ts';
import type { ResolvedRequest } from './metering/query-cache.ts';
import {
  idempotentRequest,
  restored,
  type StorableResponse,
  storeForReplay,
} from './metering/replay.ts';
import type { FinishedResponse } from './metering/response-cache.ts';
import { PLANS } from './plans.ts';
import type { ProxyServices, QueryContext } from './services.ts';

interface Exchange {
  readonly request: ApiRequest;
  readonly principal: Principal;
  readonly services: ProxyServices;
}

/**
 * Executes a request to any route, whoever makes it: a client over HTTP (of free routes,
 * `serve/serve-free.ts` keeps the responses), a tool of an assistant, or an example of the
 * documents. Resolves with the answer once it is paid for and handed over to the principal. A
 * failure before the debit costs nothing; whatever is debited and then not delivered is refunded.
 * The same release is used throughout.
 */
export function execute(endpoint: Endpoint, exchange: Exchange): Promise<Answer> {
  switch (endpoint.access) {
    case 'free':
      return executeFree(endpoint, exchange);
    case 'keyed':
      return executeKeyed(endpoint, exchange);
    case 'metered':
      return executeGet(endpoint, exchange);
    case 'posted':
      return executePost(endpoint, exchange);
  }
}

async function executeFree(
  endpoint: FreeEndpoint,
  { request, principal, services }: Exchange,
): Promise<Answer> {
  const { format, result } = await respondFreely(endpoint, request, services);
  const response = jsonResponse(result.body, format);
  const etag = result.etag ?? etagOf(response.body.whole());
  return handOver(principal, { status: result.status ?? 200, etag, response, charged: 0 });
}

export async function respondFreely(
  endpoint: FreeEndpoint,
  request: ApiRequest,
  services: ProxyServices,
) {
  const input = validFor(services.releases.current, () =>
    parseInput(endpoint, request, services.parameterNames),
  );
  const format = freeFormat(endpoint, request);
  return { format, result: await endpoint.respond(services, input) };
}

/** The format of a free response; probes succeed regardless of `Accept`. */
export function freeFormat(endpoint: FreeEndpoint, { headers }: ApiRequest): Format {
  if (endpoint.cache === 'never') return 'json';
  return formatFor(headers.accept, endpoint.isGeoJson ? GEOJSON_OBJECT : JSON_ALONE);
}

/** Executes a request to a route that needs a key and is never charged, even at a zero balance. */
async function executeKeyed(
  endpoint: KeyedEndpoint,
  { request, principal, services }: Exchange,
): Promise<Answer> {
  const { balance, rate } = await principal.authorize();
  const input = parseInput(endpoint, request, services.parameterNames);
  const format = formatFor(request.headers.accept, JSON_ALONE);
  const response = jsonResponse(endpoint.respond(balance, input), format);
  const vary = 'Authorization';
  return handOver(principal, { status: 200, vary, rate, response, charged: 0, remaining: balance });
}

interface MeteredGet {
  readonly exchange: Exchange;
  readonly endpoint: MeteredEndpoint;
  readonly admitted: Admitted;
  readonly release: Release;
  readonly known: ResolvedRequest;
  readonly format: Format;
  /** Undefined if only the response tells. */
  readonly price: number | undefined;
  /** Whether nothing is charged, and the answer says nothing about tokens. */
  readonly isFree: boolean;
}

/** The part of a GET's answer that does not depend on the charge. */
interface SentGet {
  readonly status: number;
  readonly etag: string;
  readonly response: FinishedResponse;
  readonly cost: number | undefined;
}

/**
 * Executes a metered GET, in this order: key and rate, validation, preconditions, If-None-Match,
 * balance, reading, debit, answer.
 */
async function executeGet(endpoint: MeteredEndpoint, exchange: Exchange): Promise<Answer> {
  const { request, principal, services } = exchange;
  const { freeForMembers = false, mayBeEmpty = false } = endpoint;
  const { charges, ledger, queries, releases } = services;
  const { headers, url } = request;
  const admitted = await principal.authorize(freeForMembers);
  const { balance } = admitted;
  const isFree = principal.isExempt || (freeForMembers && admitted.member);
  const current = releases.current;
  principal.reads(current);
  const known =
    queries.get(current, url) ??
    (await queries.compute(current, url, () => resolvedGet(endpoint, current, exchange)));
  const { release } = known;
  const offers = known.resolved.isGeoJson ? GEOJSON_OBJECT : offersOf(endpoint);
  const format = formatFor(headers.accept, offers);
  const price = endpoint.price?.(known.resolved);
  const get = { exchange, endpoint, admitted, release, known, format, price, isFree };

  const etag = inFormat(known.etag, format);
  const failed = failedPrecondition(headers, { etag, modified: release.latest.published_at });
  if (failed) {
    await locate(get);
    throw failed;
  }
  const ifNoneMatch = headers['if-none-match'];
  const seen = knownRepresentation(ifNoneMatch, etag);
  if (seen !== undefined) {
    if (matchesAny(ifNoneMatch)) await locate(get);
    const unchanged = { status: 304, etag: seen, response: WITHOUT_CONTENT, cost: undefined };
    return handOver(principal, getAnswer(get, unchanged, 0, balance));
  }

  const isHead = request.method === 'HEAD';
  // A HEAD costs the minimum, whatever the price of the GET.
  const isPayable = mayAfford(balance, isHead ? undefined : price);
  if (!isPayable && !isFree && !mayBeEmpty) {
    await locate(get);
    throw tokensExhausted(balance, price);
  }

  const stated = isHead ? (price ?? (await countedTokens(get))) : undefined;
  const response = await (stated === undefined ? getResponse(get) : pricedResponse(get, stated));
  const { contentEncoding, contentType, tokens } = response;
  const sent: SentGet = {
    status: contentType === null ? 204 : 200,
    etag: contentEncoding === null ? etag : variantEtag(etag, 'gzip'),
    // A HEAD states the price of the GET and nothing else about its response, not even the length,
    // from which bisection would reveal rows.
    response: isHead ? WITHOUT_CONTENT : response,
    cost: isHead ? tokens : undefined,
  };
  // The HEAD of a response that is free for GET is free as well.
  const due = isHead ? Math.min(PLANS.charges.minimum, tokens) : tokens;
  if (isFree || due === 0) return handOver(principal, getAnswer(get, sent, 0, balance));

  const charge = chargeOf(admitted, `GET ${endpoint.path}`, due);
  const paid = await charges.open(principal, async () => {
    const debit = await ledger.debit(charge);
    if (debit.outcome === 'insufficient') return debit;
    const repay = (undelivered: number) => ledger.refund(charge, undelivered);
    return charges.handOver(principal, due, repay, () => getAnswer(get, sent, due, debit.balance));
  });
  if ('answer' in paid) return paid.answer;
  // A response that may be empty, and is then free, has a fixed price otherwise.
  throw tokensExhausted(paid.balance, mayBeEmpty || price === due ? due : undefined);
}

async function resolvedGet(
  endpoint: MeteredEndpoint,
  current: Release,
  { request, services }: Exchange,
): Promise<ResolvedRequest> {
  const input = validFor(current, () => parseInput(endpoint, request, services.parameterNames));
  const release = releaseAt(current, input.query, 'query');
  const resolved = await endpoint.resolve(release, input, withCursorsOf(release, services));
  const etag = strongEtag(scopeOf(release) + resolved.canonical, resolved.dependsOn);
  return { resolved, etag, release, cacheKey: cacheKeyOf(etag, resolved) };
}

/** The services, with cursors bound to the window and percentile that the release is read for. */
function withCursorsOf(release: Release, services: ProxyServices): ProxyServices {
  const cursors = services.cursors.within(scopeOf(release));
  return cursors === services.cursors ? services : { ...services, cursors };
}

async function locate({ endpoint, admitted, release, known }: MeteredGet): Promise<void> {
  const turns = new Turns(admitted.account);
  await endpoint.locate?.(release.withTurns(turns), known.resolved);
}

/** The response to a HEAD whose price is known before a row is read. */
async function pricedResponse(get: MeteredGet, tokens: number): Promise<FinishedResponse> {
  await locate(get);
  const contentType = MEDIA_TYPES[get.format];
  const isZipped = acceptsGzip(get.exchange.request.headers['accept-encoding']);
  const contentEncoding = isZipped && isCompressible(contentType) ? 'gzip' : null;
  return { ...WITHOUT_CONTENT, contentType, contentEncoding, tokens };
}

/** The response to a GET: kept, or computed for all that wait for it. */
async function getResponse(get: MeteredGet): Promise<FinishedResponse> {
  const { exchange, endpoint, admitted, release, known, format, price } = get;
  const { request, services } = exchange;
  const { responses } = services;
  const compute = async (turns: Turns) => {
    const shared = release.withTurns(turns);
    const located = await endpoint.locate?.(shared, known.resolved);
    const context = contextOf(withCursorsOf(release, services), format);
    return finishResponse(
      await endpoint.respond(shared, known.resolved, context, located),
      format,
      turns,
    );
  };
  const key = inFormat(known.cacheKey, format);
  const kept = responses.get(key);
  if (!kept) await requireCounted(get);
  const plain = kept ?? (await responses.getOrCompute(key, compute, new Turns(admitted.account)));
  if (!acceptsGzip(request.headers['accept-encoding'])) return inflated(plain);
  const zippedKey = variantEtag(key, 'gzip');
  // If a HEAD is answered without the response, this is compressed regardless of its length, so
  // that the HEAD, for which the length is unknown, states the same ETag.
  const compress = () => compressed(plain, price !== undefined || endpoint.count !== undefined);
  return responses.get(zippedKey) ?? responses.getOrCompute(zippedKey, compress);
}

/** Refuses a GET that costs more than the balance, if that can be counted before computing it. */
async function requireCounted(get: MeteredGet): Promise<void> {
  const { admitted, exchange, isFree } = get;
  if (isFree || exchange.request.method === 'HEAD') return;
  const tokens = await countedTokens(get);
  if (tokens === undefined || mayAfford(admitted.balance, tokens)) return;
  throw tokensExhausted(admitted.balance);
}

/** The tokens of a response that can be counted before computing it; undefined for any other. */
function countedTokens({ endpoint, admitted, release, known }: MeteredGet) {
  return endpoint.count?.(release.withTurns(new Turns(admitted.account)), known.resolved);
}

/** The answer to a GET. Spreading objects into it would take longer than a cached response. */
function getAnswer(
  { admitted, known, release, isFree }: MeteredGet,
  { status, etag, response, cost }: SentGet,
  charged: number,
  remaining: number,
): Answer {
  return {
    status,
    response,
    charged,
    remaining: isFree ? undefined : remaining,
    cost: isFree ? undefined : cost,
    rate: admitted.rate,
    etag,
    release: release.version,
    cacheControl: known.resolved.isPinned ? CACHE_CONTROL.pinned : CACHE_CONTROL.revalidated,
  };
}

function inFormat(tag: string, format: Format): string {
  return format === 'json' ? tag : variantEtag(tag, format);
}

/**
 * Maximum attempts at a response while concurrent requests spend the balance that it is built for.
 */
const ATTEMPTS = 3;

interface MeteredPost extends Exchange {
  readonly endpoint: PostEndpoint;
  readonly admitted: Admitted;
  readonly current: Release;
  readonly body: Readonly<Record<string, unknown>>;
  readonly idempotent: IdempotentRequest | null;
}

/**
 * Executes a metered POST: key and rate, then the body, validation, the Idempotency-Key, balance,
 * locating, preconditions, reading, debit, answer. Windows, types and the like are looked up in the
 * release for new responses only, so that a replay needs none that the release in force may lack,
 * and only these are negotiated, since a replay is in the format of the first response. Responses
 * are not cacheable. A request holds a slot of the semaphore from the first step that may produce a
 * large response until the principal has the answer: this bounds responses in memory, whatever the
 * load and however slow the ledger.
 */
async function executePost(
  endpoint: PostEndpoint,
  { request, principal, services }: Exchange,
): Promise<Answer> {
  const admitted = await principal.authorize();
  const { account, balance } = admitted;
  const turns = new Turns(account);
  const current = services.releases.current.withTurns(turns);
  principal.reads(current);
  parseInput({ params: NONE, query: NONE }, request, services.parameterNames);
  // A large body takes milliseconds to parse, and again to validate.
  await turns.yieldIfOverdue();
  const json = parseJson(request, { schema: endpoint.body });
  await turns.yieldIfOverdue();
  const chosen = chosenBody(endpoint, json);
  const { parameterNames } = services;
  const body = validFor(current, () =>
    validBody(chosen.schema, chosen.json, parameterNames, chosen.others),
  );
  await turns.yieldIfOverdue();
  const idempotent = idempotentRequest(endpoint.path, request.headers, json);
  const post: MeteredPost = {
    request,
    principal,
    services,
    endpoint,
    admitted,
    current,
    body,
    idempotent,
  };
  const { answer } = await services.postSemaphore.run(account, async () => {
    requirePresence(principal);
    const replayed = await replayedPost(post);
    if (replayed) return replayed;
    const modified = current.latest.published_at;
    const failed = failedPrecondition(request.headers, { etag: null, modified });
    const located = await payablePost(post, balance);
    if (failed) throw failed;
    for (let attempt = 1, affordable = balance; ; attempt++) {
      const response = await located.compute(affordable);
      // A free response goes through the ledger only if its key is to be known again.
      if (principal.isExempt || (response.tokens === 0 && !idempotent)) {
        return { answer: handOver(principal, await postAnswer(post, response, 0, balance)) };
      }
      const paid = await services.charges.open(principal, () => chargePost(post, response));
      if ('answer' in paid) return paid;
      // A batch adapts to the remaining balance; another route's response has a fixed price.
      if (attempt === ATTEMPTS || paid.balance === affordable) {
        throw tokensExhausted(paid.balance, located.stated);
      }
      affordable = paid.balance;
    }
  });
  return answer;
}

/**
 * Looks up in the release what a body refers to, and locates its subject, if the balance may pay
 * for it. An account that cannot pay even the least price is refused before anything is located.
 */
async function payablePost(
  { endpoint, request, services, current, body }: MeteredPost,
  balance: number,
) {
  const release = endpoint.namesReleases ? current : releaseAt(current, body, 'body');
  const format = formatFor(request.headers.accept, offersOf(endpoint));
  const resolved = await endpoint.resolve(release, body, withCursorsOf(release, services));
  const most = endpoint.price?.(resolved);
  const least = endpoint.leastPrice ?? most;
  if (!mayAfford(balance, least)) {
    throw tokensExhausted(balance, least, most ?? Number.POSITIVE_INFINITY);
  }
  const located = (await endpoint.locate?.(release, resolved)) ?? resolved;
  const price = endpoint.price?.(located);
  // A number of POIs or blocks is a result, which is paid for.
  const stated = most === undefined ? undefined : price;
  if (!mayAfford(balance, price)) throw tokensExhausted(balance, stated);
  const compute = async (affordable: number): Promise<StorableResponse> => {
    const context = contextOf(withCursorsOf(release, services), format);
    const result = await endpoint.respond(release, located, context, affordable);
    const finished = await finishResponse(result, format, release.turns);
    // Stored with the response: a replay states the release that the response was computed from.
    const metadata = { ...finished.metadata, 'x-data-release': release.version };
    return { ...finished, metadata, renewable: result.renewable };
  };
  return { stated, compute };
}

/** Debits a response and hands it over, unless the balance has become insufficient. */
async function chargePost(post: MeteredPost, response: StorableResponse) {
  const { endpoint, principal, services, admitted, idempotent } = post;
  const { ledger, charges } = services;
  const { tokens } = response;
  const charge = chargeOf(admitted, `POST ${endpoint.path}`, tokens);
  const paid = idempotent ? await ledger.debitOnce(charge, idempotent) : await ledger.debit(charge);
  if (paid.outcome === 'insufficient') return paid;
  if (paid.outcome !== 'debited') return replay(post, paid, response);
  const { balance, receipt } = paid;
  if (receipt) await storeForReplay(ledger, receipt, response, principal);
  const repay = (undelivered: number) =>
    receipt ? ledger.undeliver(receipt, undelivered) : ledger.refund(charge, undelivered);
  return charges.handOver(principal, tokens, repay, () =>
    postAnswer(post, response, tokens, balance),
  );
}

async function replayedPost(post: MeteredPost): Promise<HandedOver | undefined> {
  const { principal, services, admitted, idempotent } = post;
  if (!idempotent) return undefined;
  return services.charges.open(principal, async () => {
    const earlier = await services.ledger.replay(admitted.account, idempotent, Date.now());
    return earlier && replay(post, earlier);
  });
}

/**
 * Replays a response that was charged before, charging again for what was refunded. `computed`: the
 * response computed for this request, if that of a concurrent request was stored first.
 */
async function replay(
  post: MeteredPost,
  earlier: Replay,
  computed?: FinishedResponse,
): Promise<HandedOver> {
  const { endpoint, principal, services } = post;
  if (earlier.outcome === 'conflict') {
    throw new Problem(
      'idempotency-conflict',
      'this Idempotency-Key was used for another path or body within the last 24 hours; use a new one',
    );
  }
  if (earlier.outcome === 'insufficient') throw tokensExhausted(earlier.balance);
  const { balance, charged, receipt, response: stored, tokens } = earlier;
  const renew = endpoint.renew && ((kept: unknown) => endpoint.renew!(kept, services));
  /** The stored response, or a new one if it was not stored or is damaged. */
  const earlierResponse = async () => {
    if (stored !== null && stored !== 'damaged') return restored(stored, tokens, renew);
    if (stored === 'damaged') principal.report('stored response is damaged, and computed again');
    if (computed?.tokens === tokens) return computed;
    // It has been paid for, whatever the balance is now.
    const { compute } = await payablePost(post, Number.POSITIVE_INFINITY);
    return compute(tokens);
  };
  const repay = (undelivered: number) => services.ledger.undeliver(receipt, undelivered);
  return services.charges.handOver(principal, tokens, repay, async () => ({
    ...(await postAnswer(post, await earlierResponse(), charged, balance)),
    isReplay: true,
  }));
}

async function postAnswer(
  { endpoint, request, admitted: { rate } }: MeteredPost,
  response: FinishedResponse,
  charged: number,
  remaining: number,
): Promise<Answer> {
  const isZipped = acceptsGzip(request.headers['accept-encoding']);
  const encoded = await (isZipped ? compressed(response) : inflated(response));
  return { status: endpoint.status ?? 200, rate, response: encoded, charged, remaining };
}

function jsonResponse(body: object, format: Format): FinishedResponse {
  const bytes = Buffer.from(JSON.stringify(body));
  return { ...WITHOUT_CONTENT, body: Body.of(bytes), contentType: MEDIA_TYPES[format] };
}

function handOver(principal: Principal, answer: Answer): Answer {
  void principal.deliver(answer);
  return answer;
}

function chargeOf({ account, keyId }: Admitted, route: string, tokens: number): Charge {
  return { account, keyId, route, tokens, atMs: Date.now() };
}

function contextOf({ config, cursors }: ProxyServices, format: Format): QueryContext {
  return { config, cursors, format: ROW_FORMATS[format] };
}
