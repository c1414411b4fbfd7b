import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Ledger } from '../portal/accounts/ledger.ts';
import { RateWindow } from '../portal/accounts/rate-window.ts';
import type { ReleaseSource } from '../shards/release-source.ts';
import { type ProxyConfigInput, proxyConfigSchema } from './config.ts';
import { CursorSealer } from './cursors/cursor.ts';
import { DOCS_PATHS, serveDocs } from './docs/serve-docs.ts';
import type { Endpoint } from './endpoint.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { answerInOrder } from './http/answer-in-order.ts';
import { CatalogueSender, catalogueText } from './http/catalogue-text.ts';
import { answerPreflights, setCommonHeaders } from './http/common-headers.ts';
import { CONNECTION_LIMITS } from './http/connection-limits.ts';
import {
  handleErrors,
  malformed,
  refuseMalformed,
  refuseOtherMethods,
  sendProblem,
} from './http/error-handling.ts';
import { limitFreeRoutes, overRate } from './http/free-rate.ts';
import { ignoreExpectations, requireHost } from './http/http-semantics.ts';
import { takeJsonBodies } from './http/json-body.ts';
import { Outbox } from './http/outbox.ts';
import { serveProblemPages } from './http/problem-pages.ts';
import { requestId } from './http/request-id.ts';
import { serveFree } from './http/serve-free.ts';
import { trustProxyOption } from './http/trusted-proxies.ts';
import { AnswerCache } from './metering/answer-cache.ts';
import { PlanCache } from './metering/plan-cache.ts';
import { serveKeyed } from './metering/serve-keyed.ts';
import { serveMetered } from './metering/serve-metered.ts';
import { servePosted } from './metering/serve-posted.ts';
import { Turnstile } from './metering/turnstile.ts';
import { openApiDocument } from './openapi/document.ts';
import type { Services } from './services.ts';

const MAX_BODY_BYTES = 2 ** 20;
/** A path parameter may be as long as Node takes a request line: the endpoint says what is wrong with it. */
const MAX_URL_BYTES = 16_384;
const KEYED = { keyed: true };
/** Answers to POSTs made side by side: each may be of 50,000 rows. */
const MAKERS = { inAll: 4, ofEach: 2 };

/** The HTTP service over a source of releases and a ledger. It does not listen yet. */
export async function buildProxy(parts: {
  readonly releases: ReleaseSource;
  readonly ledger: Ledger;
  readonly config?: ProxyConfigInput;
}): Promise<FastifyInstance> {
  const parsed = proxyConfigSchema.parse(parts.config ?? {});
  const config = { ...parsed, problemBase: parsed.problemBase ?? `${parsed.baseUrl}/problems` };
  const services: Services = {
    releases: parts.releases,
    ledger: parts.ledger,
    config,
    plans: new PlanCache(config.planCacheBytes),
    answers: new AnswerCache(config.answerCacheBytes),
    cursors: new CursorSealer(config.cursorSecrets ?? [await parts.ledger.secret('cursors')]),
    catalogue: new CatalogueSender(),
    outbox: new Outbox({ maxWaiting: config.maxWaitingBytes }),
    turnstile: new Turnstile(MAKERS),
  };

  const freeRates = new RateWindow(config.freeRateLimitPerMinute);
  const app = Fastify({
    logger: { level: config.logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request would be made and mostly not used.
    childLoggerFactory: (logger) => logger,
    trustProxy: trustProxyOption(config.trustProxy),
    genReqId: requestId,
    bodyLimit: MAX_BODY_BYTES,
    ...CONNECTION_LIMITS,
    // A request that comes on an open connection while closing is answered, and is its last.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_URL_BYTES },
    clientErrorHandler: (error, socket) => refuseMalformed(error, socket, config.problemBase),
    // No route is known, and no hook has run: it counts as what is not there.
    frameworkErrors: (error, request, reply) => {
      const refused = overRate(freeRates, request, reply);
      setCommonHeaders(reply);
      sendProblem(reply, refused ?? malformed('path', error), config.problemBase);
    },
  });
  handleErrors(app, config.problemBase);
  answerInOrder(app.server);
  app.decorateReply('rate', null);
  limitFreeRoutes(app, freeRates);
  app.addHook('onClose', async () => services.outbox.close());
  requireHost(app);
  ignoreExpectations(app);
  app.decorateReply('balance', null);
  // Answers written raw bring these themselves; everything else gets them as it leaves.
  app.addHook('onSend', (_request, reply, payload, done) => {
    setCommonHeaders(reply);
    done(null, payload);
  });
  answerPreflights(app);

  takeJsonBodies(app);
  app.decorateRequest('admitted', null);
  for (const endpoint of ENDPOINTS) route(app, endpoint, services);
  const document = catalogueText(JSON.stringify(openApiDocument(ENDPOINTS, config), null, 2));
  app.get('/openapi.json', (request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return services.catalogue.send(request, reply, document);
  });
  // What is in front takes the path of the base URL away.
  const { pathname } = new URL(config.problemBase);
  const basePath = new URL(config.baseUrl).pathname.replace(/\/$/, '');
  const pages = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
  const problemPage = `${pages.replace(/\/$/, '')}/:slug`;
  serveProblemPages(app, problemPage);
  serveDocs(app, config, services.catalogue);
  const methods = new Map<string, string[]>();
  for (const { path, access } of ENDPOINTS) {
    const taken = access === 'posted' ? ['POST'] : ['GET', 'HEAD'];
    methods.set(fastifyPath(path), [...(methods.get(fastifyPath(path)) ?? []), ...taken]);
  }
  for (const path of ['/openapi.json', problemPage, ...DOCS_PATHS]) {
    methods.set(path, ['GET', 'HEAD']);
  }
  refuseOtherMethods(app, methods);
  return app;
}

function route(app: FastifyInstance, endpoint: Endpoint, services: Services): void {
  const url = fastifyPath(endpoint.path);
  switch (endpoint.access) {
    case 'free':
      return void app.get(
        url,
        { config: { probe: endpoint.cache === 'never' } },
        serveFree(endpoint, services),
      );
    case 'keyed':
      return void app.get(url, { config: KEYED }, serveKeyed(endpoint, services));
    case 'metered':
      return void app.get(url, { config: KEYED }, serveMetered(endpoint, services));
    case 'posted':
      return void app.post(url, { config: KEYED, ...servePosted(endpoint, services) });
  }
}

function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
