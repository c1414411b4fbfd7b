import { randomUUID } from 'node:crypto';
import { type IncomingMessage, METHODS } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import type { z } from 'zod';
import type { RateWindow } from '../ledger/rate-window.ts';
import { countRequests, RequestCounts, serverLog } from './access-log.ts';
import {
  handleErrors,
  type KnownErrors,
  refuseConnection,
  refuseSlashedPaths,
  refuseTunnel,
} from './error-handling.ts';
import { newShutdown, type Shutdown, shutDownGracefully } from './graceful-shutdown.ts';
import { takeJsonBodies } from './json-body.ts';
import { type LoadShedder, scheduleRequests, shedLoad } from './overload.ts';
import { Problem, type ProblemStyle } from './problem.ts';
import { limitByAddress } from './rate-limiting.ts';
import { decorateKnownPaths, refuseKeysInUrls, rewriteUndecodable } from './request-paths.ts';
import { CONNECTION_LIMITS, dropSlowBodies, respondInOrder } from './slow-clients.ts';
import { type trustedProxies, trustProxyOption } from './trusted-proxies.ts';

const SAFE = /^[\w.:/+=@-]{1,128}$/;

/**
 * The id of a request: the client's own if it is safe to log and to return; otherwise a new one.
 */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SAFE.test(given) ? given : randomUUID();
}

/**
 * Rejects HTTP/1.1 without a Host, and any request with two: RFC 9112 section 3.2. Rejects two
 * Authorization headers as well (RFC 6750 section 3.1): Node keeps the first, a front perhaps the
 * other.
 */
function requireSingleHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, rawHeaders } = request.raw;
    const hosts = countIn(rawHeaders, 'host');
    if (hosts > 1) return done(refusedHeader('host', 'is there twice', 'repeated'));
    if (hosts === 0 && httpVersion === '1.1') {
      return done(refusedHeader('host', 'is missing', 'missing'));
    }
    const isRepeated = countIn(rawHeaders, 'authorization') > 1;
    done(
      isRepeated
        ? refusedHeader('authorization', 'is there twice: send it once, with one key', 'repeated')
        : undefined,
    );
  });
}

function refusedHeader(name: string, msg: string, type: string): Problem {
  const errors = [{ loc: ['header', name], msg, type }];
  const detail = `header.${name}: ${msg}`;
  return new Problem('invalid-parameters', detail, { errors }, { connection: 'close' });
}

/** Counts the headers of a name in a request; Node's own `headers` keep only the first of some. */
function countIn(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i];
    if (header.length === name.length && header.toLowerCase() === name) count++;
  }
  return count;
}

/**
 * Ignores unknown expectations of a request: RFC 9110 section 10.1.1. Node would respond with 417,
 * without a problem document; it handles `100-continue` itself.
 */
function ignoreExpectations(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly tally: RequestCounts;
    /** Absent if load is not shed. */
    readonly shedder?: LoadShedder;
  }
}

const LOGS_REQUESTS = new Set(['trace', 'debug', 'info']);
/**
 * Maximum length of a path parameter: Node's limit on the request line, so that the route reports
 * what is wrong with it.
 */
const MAX_URL_BYTES = 16_384;

/**
 * Compilers of Fastify's own schemas, which no route has: bodies and parameters are validated by
 * zod. Without these, Fastify would load Ajv.
 */
const NO_COMPILERS = { buildValidator: refuseSchemas, buildSerializer: refuseSchemas };

function refuseSchemas(): never {
  throw new Error('a route has a Fastify schema; give it a zod schema');
}

interface HttpServerOptions {
  readonly problems: ProblemStyle;
  readonly knownErrors?: KnownErrors;
  /** Counts requests by address, except on routes that the ledger counts. */
  readonly rates: RateWindow;
  readonly trustProxy?: z.output<typeof trustedProxies>;
  readonly logLevel: string;
  readonly maxBodyBytes: number;
  readonly tally?: RequestCounts;
  /** Event loop lag at which requests are rejected, milliseconds; 0: never. */
  readonly shedAtLagMs?: number;
  /** State of the shutdown, which begins some time before the server is closed. */
  readonly shutdown?: Shutdown;
  readonly around?: onRequestHookHandler;
  /** Sets the headers of every response as it is sent. Raw responses set their own. */
  readonly setCommonHeaders: (reply: FastifyReply) => void;
  /**
   * Headers of every response, including those of refused connections: alternating names and
   * values.
   */
  readonly fixedHeaders?: readonly string[];
}

/**
 * Builds a server hardened against slow and malformed clients, without routes yet. It limits
 * connections, bodies and rates, sends every error as a problem document, and responds to the
 * requests of a connection in their order.
 */
export function httpServer(options: HttpServerOptions): FastifyInstance {
  const { problems, rates, setCommonHeaders, fixedHeaders = [] } = options;
  const { tally = new RequestCounts() } = options;
  const app = Fastify({
    logger: serverLog(options.logLevel),
    logController: new LogController({ disableRequestLogging: true }),
    // Avoids creating a logger per request that would rarely be used.
    childLoggerFactory: (logger) => logger,
    trustProxy: trustProxyOption(options.trustProxy),
    genReqId: requestId,
    bodyLimit: options.maxBodyBytes,
    ...CONNECTION_LIMITS,
    // A request that arrives on an open connection during shutdown is served, and is its last.
    return503OnClosing: false,
    rewriteUrl: rewriteUndecodable,
    routerOptions: { maxParamLength: MAX_URL_BYTES },
    schemaController: { compilersFactory: NO_COMPILERS },
    clientErrorHandler: (error, socket) => {
      const status = refuseConnection(error, socket, problems, app.knownPaths, fixedHeaders);
      if (status !== undefined) tally.refused(status);
    },
  });
  // Without a listener, Node closes the connection without a response.
  app.server.on('connect', (_request, socket) => {
    tally.refused(refuseTunnel(socket, problems, app.knownPaths, fixedHeaders));
  });
  // A preflight needs no body, so one that is sent is not buffered.
  app.addHttpMethod('OPTIONS', { overrideExisting: true });
  // Known paths can thus reject every method that Node parses.
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  decorateKnownPaths(app);
  handleErrors(app, problems, options.knownErrors);
  respondInOrder(app);
  app.decorateReply('rate', null);
  app.decorate('tally', tally);
  if (options.around) app.addHook('onRequest', options.around);
  countRequests(app, tally, LOGS_REQUESTS.has(options.logLevel));
  scheduleRequests(app);
  if (options.shedAtLagMs) app.decorate('shedder', shedLoad(app, options.shedAtLagMs));
  limitByAddress(app, rates);
  refuseKeysInUrls(app);
  requireSingleHeaders(app);
  refuseSlashedPaths(app);
  ignoreExpectations(app);
  app.addHook('onSend', (_request, reply, payload, done) => {
    setCommonHeaders(reply);
    done(null, payload);
  });
  shutDownGracefully(app, options.shutdown ?? newShutdown());
  dropSlowBodies(app);
  takeJsonBodies(app);
  return app;
}
