import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Charge, Metering } from '../../portal/accounts/metering.ts';
import type { IdempotentRequest, Receipt, Replay, Replays } from '../../portal/accounts/replays.ts';
import type { PostedEndpoint } from '../endpoint.ts';
import { formatFor, formatsOf } from '../formats/negotiate.ts';
import { CACHE_CONTROL } from '../http/cache-control.ts';
import { acceptsGzip, unzipped, zipped } from '../http/content-coding.ts';
import { parseBody } from '../http/json-body.ts';
import type { Outbox, Share } from '../http/outbox.ts';
import { parseInput } from '../http/parse-input.ts';
import { invalidParameters, Problem } from '../http/problem.ts';
import { writeAnswer } from '../http/raw-answer.ts';
import { NONE } from '../openapi/parameters.ts';
import type { Services } from '../services.ts';
import { type Admitted, admit } from './admission.ts';
import type { FinishedAnswer } from './answer-cache.ts';
import { compressed, finishAnswer } from './finish-answer.ts';
import { meteredHeaders } from './metered-headers.ts';
import { tokensExhausted, writePaid } from './payment.ts';

/** How often an answer is made anew because others have spent what it was made for. */
const ATTEMPTS = 3;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who a POST is from: its key is checked before its body is read. */
    admitted: Admitted | null;
  }
}

/**
 * The way of every metered POST: key and rate, then the body, validation, the Idempotency-Key,
 * reading, debit, answer. Nothing of it is kept by caches.
 */
export function servePosted(endpoint: PostedEndpoint, services: Services) {
  const { ledger } = services;
  const formats = formatsOf(endpoint.table);
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    request.admitted = await admit(ledger, request, reply);
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    parseInput({ params: NONE, query: NONE }, request);
    const release = services.releases.current;
    const format = formatFor(request.headers.accept, formats);
    const plan = endpoint.plan(release, parseBody(endpoint.body, request), services);
    const posted: Posted = {
      request,
      reply,
      ledger,
      outbox: services.outbox,
      admitted: request.admitted!,
      idempotent: idempotentRequest(endpoint, request),
      make: (balance) =>
        services.turnstile.pass(request.admitted!.account, async () => {
          if (request.raw.socket.destroyed) throw new ClientGone();
          const answer = await endpoint.answer(release, plan, services, balance);
          return finishAnswer(answer, format, endpoint.table);
        }),
    };
    try {
      if (!(await replayed(posted))) await charged(posted);
    } catch (error) {
      if (!(error instanceof ClientGone)) throw error;
      reply.hijack();
    }
  };
  return { onRequest, handler };
}

/** Whoever asked has left while the request waited: there is nobody to answer, and nothing to pay. */
class ClientGone extends Error {}

/** A POST on its way. */
interface Posted {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly ledger: Metering & Replays;
  readonly outbox: Outbox;
  readonly admitted: Admitted;
  readonly idempotent: IdempotentRequest | null;
  /** The answer that so many tokens can pay. */
  make(balance: number): Promise<FinishedAnswer>;
}

/** Whether there was an answer to give again. */
async function replayed(posted: Posted): Promise<boolean> {
  const { ledger, admitted, idempotent } = posted;
  const replay = idempotent && (await ledger.replay(admitted.account, idempotent, Date.now()));
  if (!replay) return false;
  await answerAgain(posted, replay);
  return true;
}

async function charged(posted: Posted): Promise<void> {
  const { request, ledger, admitted, idempotent } = posted;
  const { account, keyId, balance } = admitted;
  for (let attempt = 1, payable = balance; ; attempt++) {
    const answer = await posted.make(payable);
    const due: Charge = { account, keyId, tokens: answer.tokens, atMs: Date.now() };
    const paid = idempotent ? await ledger.debitOnce(due, idempotent) : await ledger.debit(due);
    if (paid.outcome === 'insufficient') {
      // A batch answers for what is left; another route's answer costs what it costs.
      if (attempt === ATTEMPTS || paid.balance === payable) {
        throw tokensExhausted(answer.tokens, paid.balance);
      }
      payable = paid.balance;
      continue;
    }
    if (paid.outcome !== 'debited') return answerAgain(posted, paid, answer);
    if (paid.receipt) await keep(posted, paid.receipt, answer);
    return writePaid(
      request,
      due.tokens,
      (undelivered) =>
        paid.receipt
          ? ledger.undeliver(paid.receipt, undelivered)
          : ledger.refund(due, undelivered),
      () => send(posted, answer, answer.tokens, paid.balance, []),
    );
  }
}

/**
 * Gives an answer again that was charged for before; what of that was repaid is charged again.
 * `own`: what this request would have been answered, where another was first.
 */
async function answerAgain(posted: Posted, replay: Replay, own?: FinishedAnswer): Promise<void> {
  const { request, ledger } = posted;
  if (replay.outcome === 'conflict') {
    throw new Problem(
      'idempotency-conflict',
      'this Idempotency-Key was used for another request within the last 24 hours; use a new one',
    );
  }
  if (replay.outcome === 'insufficient') throw tokensExhausted(replay.tokens, replay.balance);
  const { balance, charged } = replay;
  await writePaid(
    request,
    replay.tokens,
    (undelivered) => ledger.undeliver(replay.receipt, undelivered),
    async () => {
      const answer = await madeBefore(posted, replay, own);
      return send(posted, answer, charged, balance, ['idempotency-replayed', 'true']);
    },
  );
}

async function madeBefore(
  posted: Posted,
  { answer, tokens }: Extract<Replay, { outcome: 'replayed' }>,
  own: FinishedAnswer | undefined,
): Promise<FinishedAnswer> {
  if (answer === null) return own?.tokens === tokens ? own : posted.make(tokens);
  const { 'content-type': contentType, ...beside } = answer.headers;
  return { body: await unzipped(answer.gzip), contentType, contentEncoding: null, beside, tokens };
}

/** Keeps an answer to be given again. One that cannot be kept is made again when it is asked for. */
async function keep(
  { request, ledger }: Posted,
  receipt: Receipt,
  { body, contentType, beside }: FinishedAnswer,
): Promise<void> {
  const headers = { 'content-type': contentType!, ...beside };
  try {
    await ledger.keepAnswer(receipt, { headers, gzip: await zipped(body) });
  } catch (error) {
    request.log.error({ err: error, reqId: request.id }, 'answer not kept');
  }
}

const KEY = /^[\x20-\x7e]{1,255}$/;

function idempotentRequest(
  { path }: PostedEndpoint,
  request: FastifyRequest,
): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw invalidParameters([
      {
        loc: ['header', 'idempotency-key'],
        msg: 'must be 1 to 255 printable characters',
        type: 'invalid_format',
      },
    ]);
  }
  const asked = `${path}\n${JSON.stringify(request.body)}`;
  return { key, fingerprint: hash('sha256', asked, 'base64url') };
}

async function send(
  { request, reply, outbox, admitted: { rate } }: Posted,
  plain: FinishedAnswer,
  charged: number,
  remaining: number,
  more: readonly string[],
): Promise<Share> {
  const isZipped = acceptsGzip(request.headers['accept-encoding']);
  const { body, contentType, contentEncoding, beside } = isZipped ? await compressed(plain) : plain;
  const headers: (string | number)[] = [
    ...meteredHeaders(CACHE_CONTROL.never, rate),
    ...['content-type', contentType!, 'content-length', body.length],
    ...['x-tokens-charged', charged, 'x-tokens-remaining', remaining],
    ...Object.entries(beside).flat(),
    ...more,
  ];
  if (contentEncoding) headers.push('content-encoding', contentEncoding);
  return writeAnswer(outbox, request, reply, 200, headers, body);
}
