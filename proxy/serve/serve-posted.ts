import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientId } from '../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../shards/concurrency/yielding.ts';
import type { PostEndpoint } from '../endpoint.ts';
import { NONE } from '../fields/field.ts';
import { formatFor, offersOf } from '../formats/negotiate.ts';
import { ROW_FORMATS } from '../formats/row-format.ts';
import { failedPrecondition } from '../http/caching.ts';
import { parseJson, validBody } from '../http/json-body.ts';
import { parseInput } from '../http/validation.ts';
import type { Charge, Debit } from '../ledger/metering.ts';
import { type AuthorizedRequest, authorize } from '../metering/authorize.ts';
import { deliverBody, mayAfford, tokensExhausted } from '../metering/debit.ts';
import { type HandedOver, requireClient, unlessGone } from '../metering/open-charges.ts';
import type { ProxyServices } from '../services.ts';
import { finishResponse } from './finish-response.ts';
import { type LocatedPost, type PostRequest, type PostResponse, send } from './post-request.ts';
import { idempotentRequest, replayed, replayResponse, storeForReplay } from './replay.ts';

/**
 * Maximum attempts at a response while concurrent requests spend the balance that it is built for.
 */
const ATTEMPTS = 3;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once a POST is authenticated: its key is checked before its body is read. */
    admitted: AuthorizedRequest | null;
  }
}

/**
 * Handles every metered POST: key and rate, then the body, validation, the Idempotency-Key,
 * reading, debit, response. Types, weights and the like are looked up in the release for new
 * responses only, so that a replay needs none that the release in force may lack, and only these
 * are negotiated, since a replay is in the format of the first response. Responses are not
 * cacheable. A request holds a slot of the semaphore from the first step that may produce a large
 * response until the response writer accounts for it: this bounds responses in memory, whatever the
 * load and however slow the ledger.
 */
export function servePost(endpoint: PostEndpoint, services: ProxyServices) {
  const { ledger } = services;
  const offers = offersOf(endpoint);
  const route = `POST ${endpoint.path}`;
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    request.admitted = await authorize(services, request, reply);
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const release = services.releases.current;
    reply.dataRelease = release.version;
    parseInput({ params: NONE, query: NONE }, request, services.parameterNames);
    const clientId = request.admitted!.account;
    await turnOf(clientId);
    const json = parseJson(request, { schema: endpoint.body });
    await turnOf(clientId);
    const body = validBody(endpoint.body, json, services.parameterNames);
    await turnOf(clientId);
    const post: PostRequest = {
      request,
      reply,
      ledger,
      charges: services.charges,
      responseWriter: services.responseWriter,
      admitted: request.admitted!,
      route,
      status: endpoint.status ?? 200,
      idempotent: idempotentRequest(endpoint, request, json),
      renew: endpoint.renew && ((kept) => endpoint.renew!(kept, services)),
      async resolve() {
        const format = formatFor(request.headers.accept, offers);
        const resolved = await endpoint.resolve(release, body, services, clientId);
        const price = endpoint.price?.(resolved);
        const locate = async () => {
          const located = (await endpoint.locate?.(release, resolved, clientId)) ?? resolved;
          const compute = async (balance: number) => {
            const { config, cursors } = services;
            const context = { config, cursors, waiters: clientId, format: ROW_FORMATS[format] };
            const response = await endpoint.respond(release, located, context, balance);
            const finished = await finishResponse(response, format, clientId);
            // Stored with the response: a replay states the release that the response was computed
            // from.
            const metadata = { ...finished.metadata, 'x-data-release': release.version };
            return { ...finished, metadata, renewable: response.renewable };
          };
          return { price: endpoint.price?.(located), compute };
        };
        return { price, leastPrice: endpoint.leastPrice ?? price, locate };
      },
    };
    await unlessGone(reply, async () => {
      const { refunded } = await services.postSemaphore.run(clientId, async () => {
        requireClient(request);
        const replay = await replayed(post);
        if (replay) return replay;
        const modified = release.latest.published_at;
        const failed = failedPrecondition(request.headers, { etag: null, modified });
        if (failed) {
          await payable(post);
          throw failed;
        }
        return charged(post);
      });
      await refunded;
    });
  };
  return { onRequest, handler };
}

/**
 * Waits for a later turn of the event loop if this one is overdue. A large body takes milliseconds
 * to parse, and again to validate, so this limits how many bodies are processed per turn.
 */
async function turnOf(clientId: ClientId): Promise<void> {
  const pause = yieldIfOverdue(clientId);
  if (pause) await pause;
}

/**
 * Resolves and locates a request that the balance may pay for. An account that cannot pay even the
 * least price is refused before anything is located.
 */
async function payable(post: PostRequest): Promise<LocatedPost> {
  const { balance } = post.admitted;
  const { price, leastPrice, locate } = await post.resolve();
  if (!mayAfford(balance, leastPrice)) throw tokensExhausted(balance, leastPrice, price);
  const located = await locate();
  if (!mayAfford(balance, located.price)) throw tokensExhausted(balance, located.price);
  return located;
}

/** Computes a response, charges it and sends it. */
async function charged(post: PostRequest): Promise<HandedOver> {
  const { request, charges, admitted } = post;
  const { balance } = admitted;
  const { price, compute } = await payable(post);
  for (let attempt = 1, payable = balance; ; attempt++) {
    const response = await compute(payable);
    const paid = await charges.open(request, () => charge(post, response));
    if ('refunded' in paid) return paid;
    // A batch adapts to the remaining balance; another route's response has a fixed price.
    if (attempt === ATTEMPTS || paid.balance === payable) {
      throw tokensExhausted(paid.balance, price);
    }
    payable = paid.balance;
  }
}

/** Charges a response and sends it, unless the balance has become insufficient. */
async function charge(
  post: PostRequest,
  response: PostResponse,
): Promise<HandedOver | Extract<Debit, { outcome: 'insufficient' }>> {
  const { request, ledger, admitted, route, idempotent } = post;
  const { account, keyId } = admitted;
  const { tokens } = response;
  const due: Charge = { account, keyId, route, tokens, atMs: Date.now() };
  const paid = idempotent ? await ledger.debitOnce(due, idempotent) : await ledger.debit(due);
  if (paid.outcome === 'insufficient') return paid;
  if (paid.outcome !== 'debited') return replayResponse(post, paid, response);
  if (paid.receipt) await storeForReplay(post, paid.receipt, response);
  return deliverBody(
    request,
    tokens,
    (undelivered) =>
      paid.receipt ? ledger.undeliver(paid.receipt, undelivered) : ledger.refund(due, undelivered),
    () => send(post, response, tokens, paid.balance, []),
  );
}
