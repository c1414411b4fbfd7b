import { METHODS } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import type { z } from 'zod';
import type { RateCounter } from '../accounts/rate-window.ts';
import { limitByAddress } from './address-rate.ts';
import { answerInOrder } from './answer-in-order.ts';
import { watchBodies } from './body-arrival.ts';
import { CONNECTION_LIMITS } from './connection-limits.ts';
import { type Ending, endGracefully } from './ending.ts';
import { enterByTurns } from './entrance.ts';
import {
  handleErrors,
  type KnownErrors,
  refuseConnection,
  refuseSlashedPaths,
} from './error-handling.ts';
import { ignoreExpectations, requireHost } from './http-semantics.ts';
import { takeJsonBodies } from './json-body.ts';
import { refuseKeysInUrls } from './key-in-url.ts';
import { knowPaths } from './known-paths.ts';
import type { ProblemStyle } from './problem.ts';
import { requestId } from './request-id.ts';
import { RequestTally, tallyRequests } from './request-tally.ts';
import { serverLog } from './server-log.ts';
import { type LoadShedder, shedLoad } from './shedding.ts';
import { type trustedProxies, trustProxyOption } from './trusted-proxies.ts';
import { rewriteUndecodable } from './undecodable-path.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly tally: RequestTally;
    /** Absent where nothing is shed. */
    readonly shedder?: LoadShedder;
  }
}

/** Levels of the log at which each request is written down. */
const LOGS_REQUESTS = new Set(['trace', 'debug', 'info']);
/** A path parameter may be as long as Node takes a request line: the route says what is wrong with it. */
const MAX_URL_BYTES = 16_384;

export interface HttpServerOptions {
  readonly problems: ProblemStyle;
  readonly knownErrors?: KnownErrors;
  /** Counts requests by address, but those of routes that the ledger counts. */
  readonly rates: RateCounter;
  readonly trustProxy?: z.output<typeof trustedProxies>;
  readonly logLevel: string;
  readonly maxBodyBytes: number;
  /** Counts what comes of requests. */
  readonly tally?: RequestTally;
  /** How late the event loop may be before requests are sent away, milliseconds; 0: never. */
  readonly shedAtLagMs?: number;
  /** Set by whoever has the server end, a while before it is closed. */
  readonly ending?: Ending;
  /** What is done around all of a request, such as tracing it. */
  readonly around?: onRequestHookHandler;
  /** Sets what every answer carries, as it leaves. Answers written raw bring it themselves. */
  readonly setCommonHeaders: (reply: FastifyReply) => void;
}

/**
 * A server that is hard to hold or to confuse, without routes yet: limits on connections, bodies and
 * rates; every error a problem document; the answers of a connection in the order of its requests.
 */
export function httpServer(options: HttpServerOptions): FastifyInstance {
  const { problems, rates, setCommonHeaders, tally = new RequestTally() } = options;
  const app = Fastify({
    logger: serverLog(options.logLevel),
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request would be made and mostly not used.
    childLoggerFactory: (logger) => logger,
    trustProxy: trustProxyOption(options.trustProxy),
    genReqId: requestId,
    bodyLimit: options.maxBodyBytes,
    ...CONNECTION_LIMITS,
    // A request that comes on an open connection while closing is answered, and is its last.
    return503OnClosing: false,
    rewriteUrl: rewriteUndecodable,
    routerOptions: { maxParamLength: MAX_URL_BYTES },
    clientErrorHandler: (error, socket) => {
      const status = refuseConnection(error, socket, problems, app.knownPaths);
      if (status !== undefined) tally.refused(status);
    },
  });
  // A preflight has no body: what comes with one is not kept.
  app.addHttpMethod('OPTIONS', { overrideExisting: true });
  // Whatever Node takes for a method can be refused by a path that there is.
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  knowPaths(app);
  handleErrors(app, problems, options.knownErrors);
  answerInOrder(app);
  app.decorateReply('rate', null);
  app.decorate('tally', tally);
  if (options.around) app.addHook('onRequest', options.around);
  tallyRequests(app, tally, LOGS_REQUESTS.has(options.logLevel));
  enterByTurns(app);
  if (options.shedAtLagMs) app.decorate('shedder', shedLoad(app, options.shedAtLagMs));
  limitByAddress(app, rates);
  refuseKeysInUrls(app);
  requireHost(app);
  refuseSlashedPaths(app);
  ignoreExpectations(app);
  app.addHook('onSend', (_request, reply, payload, done) => {
    setCommonHeaders(reply);
    done(null, payload);
  });
  endGracefully(app, options.ending ?? { isSet: false });
  watchBodies(app);
  takeJsonBodies(app);
  return app;
}
