import { randomUUID } from 'node:crypto';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { systemCode } from '../../shards/error-facts.ts';
import { withCommas } from '../../shards/number-words.ts';
import { LedgerUnavailable, OutcomeUnknown, RefundPending } from '../ledger/ledger.ts';
import { FaultLog } from './access-log.ts';
import { CACHE_CONTROL } from './caching.ts';
import { notPlainJson } from './json-body.ts';
import { invalidParameter, Problem, type ProblemStyle, problemText, truncate } from './problem.ts';
import type { ProblemSlug } from './problem-types.ts';
import { type KnownPaths, pathOf, undecodable, unknownMethod } from './request-paths.ts';
import { CONNECTION_LIMITS } from './slow-clients.ts';

const PROBLEM_JSON = 'application/problem+json; charset=utf-8';
const MAX_QUOTED_PATH = 200;

const FRAMEWORK_SLUGS: Readonly<Record<string, ProblemSlug>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
};

/** Problems that are reported even if there is no route. */
const OF_ALL_PATHS: readonly ProblemSlug[] = ['rate-limited', 'key-in-url'];

/** Maps an error of a service's own parts to a problem; `undefined` for any other. */
export type KnownErrors = (error: Error) => Problem | undefined;

declare module 'fastify' {
  interface FastifyInstance {
    /** The problem that an error in the work on a request is; logs a fault of the service. */
    problemOf(error: Error, request: FastifyRequest): Problem;
  }
  interface FastifyReply {
    /** Status of the fault that broke the response off; null without one. */
    faultStatus: number | null;
    /** Logs an error that breaks off a response whose head has been sent, and counts its status. */
    reportFault(error: Error): void;
  }
}

export const RETRY = { 'retry-after': '5' } as const;

/** Turns every error into a problem document without internal details. */
export function handleErrors(
  app: FastifyInstance,
  style: ProblemStyle,
  known: KnownErrors = () => undefined,
): void {
  const faults = new FaultLog();
  const log = (problem: Problem, err: Error, { id: reqId, log }: FastifyRequest) => {
    if (problem.status < 500 || problem.slug === 'overloaded') return;
    faults.write(log, { err, reqId }, problem.slug);
  };
  app.decorateReply('faultStatus', null);
  const problemOf = (error: FastifyError, request: FastifyRequest) => {
    const problem = known(error) ?? asProblem(error, request);
    log(problem, error, request);
    return problem;
  };
  app.decorate('problemOf', problemOf);
  app.decorateReply('reportFault', function (this: FastifyReply, error: FastifyError) {
    this.faultStatus = problemOf(error, this.request).status;
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refused = known(error) ?? asProblem(error, request);
    // If there is no route, an unreadable body does not matter.
    const isMoot = request.is404 && !OF_ALL_PATHS.includes(refused.slug);
    const problem = isMoot ? notFound(request) : refused;
    log(problem, error, request);
    return sendProblem(reply, problem, style);
  });
  app.setNotFoundHandler((request, reply) => sendProblem(reply, notFound(request), style));
}

function sendProblem(reply: FastifyReply, problem: Problem, style: ProblemStyle) {
  return reply
    .code(problem.status)
    .headers({
      ...problem.headers,
      'cache-control': CACHE_CONTROL.never,
      'content-type': PROBLEM_JSON,
    })
    .send(problemText(style, problem));
}

/**
 * Refuses input that never became a request, and closes its connection. A connection that sent no
 * byte is closed silently, since a browser treats whatever arrives on a spare connection as the
 * response to its next request. `fixedHeaders`: alternating names and values. Returns the status
 * that was sent, if any.
 */
export function refuseConnection(
  error: Error,
  socket: Socket,
  style: ProblemStyle,
  known: KnownPaths,
  fixedHeaders: readonly string[],
): number | undefined {
  if (!socket.writable || socket.bytesRead === 0) {
    socket.destroy();
    return undefined;
  }
  const isLate = systemCode(error) === 'ERR_HTTP_REQUEST_TIMEOUT';
  const problem = isLate ? late() : (refusedMethod(error, known) ?? malformed(error));
  return endWith(problem, socket, style, fixedHeaders);
}

/** Refuses CONNECT, whose target is no path, and closes its connection. */
export function refuseTunnel(
  socket: Duplex,
  style: ProblemStyle,
  known: KnownPaths,
  fixedHeaders: readonly string[],
): number {
  const allow = known.allMethods.join(', ');
  const detail = `this server is no proxy, and opens no tunnels: it allows ${allow}, not CONNECT`;
  const problem = new Problem('method-not-allowed', detail, {}, { allow });
  return endWith(problem, socket, style, fixedHeaders);
}

function endWith(
  problem: Problem,
  socket: Duplex,
  style: ProblemStyle,
  fixedHeaders: readonly string[],
): number {
  const { status, headers } = problem;
  const body = problemText(style, problem);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...(headers.allow === undefined ? [] : [`Allow: ${headers.allow}`]),
      `Content-Type: ${PROBLEM_JSON}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${randomUUID()}`,
      `Cache-Control: ${CACHE_CONTROL.never}`,
      ...fixedHeaders.flatMap((text, i) => (i % 2 === 0 ? `${text}: ${fixedHeaders[i + 1]}` : [])),
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  return status;
}

/** The problem for a request whose method Node does not know; undefined for anything else. */
function refusedMethod(error: Error, known: KnownPaths): Problem | undefined {
  const asked = unknownMethod(error);
  return asked && unrouted(asked, known);
}

/** The problem for a request that no route serves: by its method, or else by its path. */
function unrouted(
  { method, path }: { readonly method: string; readonly path: string },
  known: KnownPaths,
): Problem {
  const methods = known.methodsOf(path);
  // A known path may still match no route: the router accepts no line breaks in parameters with a
  // suffix.
  const isOther = methods !== undefined && !methods.includes(method);
  return isOther ? notTaken({ method, path, allow: methods.join(', ') }) : noRoute(path, known);
}

function notTaken(asked: { method: string; path: string; allow: string }): Problem {
  const { method, path, allow } = asked;
  const detail = `${truncate(path, MAX_QUOTED_PATH)} allows ${allow}, not ${truncate(method)}`;
  return new Problem('method-not-allowed', detail, {}, { allow });
}

/** Rejects a path whose last parameter is empty. */
export function refuseSlashedPaths(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const isSlashed =
      ENDS_IN_PARAMETER.test(request.routeOptions.url ?? '') && hasEmptyPart(request);
    done(isSlashed && pathOf(request).endsWith('/') ? notFound(request) : undefined);
  });
}
const ENDS_IN_PARAMETER = /\/:\w+$/;

/**
 * Responds to OPTIONS with the methods of a known path, for a service that is not open to
 * cross-origin requests.
 */
export function handleOptionsRequests(
  app: FastifyInstance,
  methodsOf: ReadonlyMap<string, readonly string[]>,
): void {
  for (const [url, methods] of methodsOf) {
    const allow = [...methods, 'OPTIONS'].join(', ');
    app.options(url, (request, reply) => {
      if (hasEmptyPart(request)) throw notFound(request);
      return reply.code(204).header('allow', allow).send();
    });
  }
}

function hasEmptyPart({ params }: FastifyRequest): boolean {
  return Object.values(params as object).includes('');
}

/**
 * The problem for a request without a route. A path with an empty parameter, such as one with a
 * trailing slash, is not known.
 */
function notFound(request: FastifyRequest): Problem {
  const asked = { method: request.method, path: pathOf(request) };
  return undecodable(request) ?? unrouted(asked, request.server.knownPaths);
}

/** The problem for an unknown path; points out if only a trailing slash keeps it from matching. */
function noRoute(path: string, known: KnownPaths): Problem {
  const isSlashed = path.endsWith('/') && known.methodsOf(path.slice(0, -1)) !== undefined;
  const quoted = truncate(path, MAX_QUOTED_PATH);
  const hint = isSlashed ? ': remove the trailing slash' : '';
  return new Problem('not-found', `no route ${quoted}${hint}`);
}

function asProblem(error: FastifyError, { routeOptions }: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof LedgerUnavailable) {
    return new Problem('debit-unavailable', unavailableAccounts(error), {}, RETRY);
  }
  const slug = FRAMEWORK_SLUGS[error.code];
  if (slug === 'unsupported-media-type') return notPlainJson();
  if (slug === 'payload-too-large') {
    const most = withCommas(routeOptions.bodyLimit);
    return new Problem(slug, `the body exceeds the limit of ${most} bytes`);
  }
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    return malformed(error);
  }
  return new Problem('internal-error', 'the request could not be completed; nothing was charged');
}

function unavailableAccounts(error: LedgerUnavailable): string {
  if (error instanceof RefundPending) {
    return 'accounts stopped responding; any tokens charged for this request are refunded once they respond again';
  }
  if (error instanceof OutcomeUnknown) {
    return 'accounts stopped responding; whether this request was charged is unknown';
  }
  return 'accounts are unavailable; nothing was charged';
}

function late(): Problem {
  const { http, requestTimeout } = CONNECTION_LIMITS;
  return new Problem(
    'request-timeout',
    `the headers of a request must arrive within ${http.headersTimeout / 1_000} s, all of it within ${requestTimeout / 1_000} s`,
  );
}

const MALFORMED: ReadonlyMap<string, string> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    `exceeds the limit of ${maxHeaderSize} bytes for the request line and headers`,
  ],
  [
    'HPE_INVALID_URL',
    'has a character in its URL that must be percent-encoded as UTF-8: %C3%B1 for ñ',
  ],
  [
    'HPE_INVALID_CONSTANT',
    'has a request line other than METHOD URL HTTP/1.1; in a URL write %20 for a space',
  ],
]);

function malformed(error: Error): Problem {
  const code = systemCode(error) ?? '';
  const msg = MALFORMED.get(code) ?? error.message;
  return invalidParameter(['request'], msg, 'malformed');
}
