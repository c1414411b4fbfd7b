import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LedgerUnavailable } from '../../portal/accounts/ledger.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { CACHE_CONTROL } from './cache-control.ts';
import { notPlainJson } from './json-body.ts';
import { invalidParameters, Problem, type ProblemSlug, problemText, shortened } from './problem.ts';

const PROBLEM_JSON = 'application/problem+json; charset=utf-8';
/** How long a client should wait for a backend that may be back soon. */
const RETRY_SECONDS = '5';
const MAX_QUOTED_PATH = 200;

/** What Fastify itself refuses, as the contract names it. */
const FRAMEWORK_SLUGS: Readonly<Record<string, ProblemSlug>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
};

/** Makes every error of every kind a problem document, with nothing internal in it. */
export function handleErrors(app: FastifyInstance, problemBase: string): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refused = asProblem(error);
    // Where there is no route, a body that cannot be read does not matter.
    const isMoot = request.is404 && refused.slug !== 'rate-limited';
    const problem = isMoot ? notFound(request) : refused;
    if (problem.status >= 500) {
      request.log.error({ err: error, reqId: request.id }, problem.slug);
    }
    return sendProblem(reply, problem, problemBase);
  });
  app.setNotFoundHandler((request, reply) => sendProblem(reply, notFound(request), problemBase));
}

export function sendProblem(reply: FastifyReply, problem: Problem, problemBase: string) {
  // Of a malformed URL the framework's reply has none at all.
  if (typeof reply.balance === 'number') {
    reply.headers({ 'x-tokens-charged': 0, 'x-tokens-remaining': reply.balance });
  }
  return reply
    .code(problem.status)
    .headers({
      ...problem.headers,
      'cache-control': CACHE_CONTROL.never,
      'content-type': PROBLEM_JSON,
    })
    .send(problemText(problemBase, problem));
}

/** Answers what is no HTTP request at all, and closes: there is no request to reply to. */
export function refuseMalformed(error: Error, socket: Socket, problemBase: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = problemText(problemBase, malformed('request', error));
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      `Content-Type: ${PROBLEM_JSON}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${randomUUID()}`,
      `Cache-Control: ${CACHE_CONTROL.never}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/** Refuses the methods that a known path does not take. Call when all routes are there. */
export function refuseOtherMethods(
  app: FastifyInstance,
  methodsOf: ReadonlyMap<string, readonly string[]>,
): void {
  for (const [url, methods] of methodsOf) {
    // OPTIONS is a preflight, answered for every path.
    const others = app.supportedMethods.filter(
      (method) => method !== 'OPTIONS' && !methods.includes(method),
    );
    const allow = methods.join(', ');
    app.route({
      method: others,
      url,
      onRequest: async (request) => {
        throw new Problem(
          'method-not-allowed',
          `${pathOf(request)} takes ${allow}, not ${request.method}`,
          {},
          { allow },
        );
      },
      handler: () => {},
    });
  }
}

function notFound(request: FastifyRequest): Problem {
  return new Problem('not-found', `no route ${pathOf(request)}`);
}

function asProblem(error: FastifyError): Problem {
  if (error instanceof Problem) return error;
  const retry = { 'retry-after': RETRY_SECONDS };
  if (error instanceof LedgerUnavailable) {
    return new Problem(
      'debit-unavailable',
      'accounts cannot be reached; nothing was charged',
      {},
      retry,
    );
  }
  if (error instanceof StoreError || error instanceof ShardError) {
    return new Problem(
      'store-unavailable',
      'the data cannot be read; nothing was charged',
      {},
      retry,
    );
  }
  const slug = FRAMEWORK_SLUGS[error.code];
  if (slug === 'unsupported-media-type') return notPlainJson();
  if (slug) return new Problem(slug, error.message);
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    return malformed('request', error);
  }
  return new Problem('internal-error', 'the request could not be answered; nothing was charged');
}

/** What is wrong with a part of the request before any route has seen it. */
export function malformed(part: 'request' | 'path', { message: msg }: Error): Problem {
  return invalidParameters([{ loc: [part], msg, type: 'malformed' }]);
}

/** The path as it is quoted. */
function pathOf(request: FastifyRequest): string {
  const query = request.url.indexOf('?');
  return shortened(query === -1 ? request.url : request.url.slice(0, query), MAX_QUOTED_PATH);
}
