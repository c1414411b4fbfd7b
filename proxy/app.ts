import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { CacheBudget } from '../shards/concurrency/cost-aware-cache.ts';
import { FairSemaphore } from '../shards/concurrency/fair-semaphore.ts';
import { onDemand } from '../shards/concurrency/on-demand.ts';
import { ShardError, StoreError } from '../shards/errors.ts';
import type { ReleaseSource } from '../shards/release/release-source.ts';
import type { Bytes } from '../shards/units.ts';
import { type ProxyConfigInput, proxyConfigSchema } from './config.ts';
import { DOCS_PATHS, serveDocs } from './docs/serve-docs.ts';
import { documentedBody, type Endpoint } from './endpoint.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { EXPORT_ROUTE, ExportLists } from './exports.ts';
import { type StaticResponse, StaticResponseSender } from './http/caching.ts';
import { CORS_HEADERS, handlePreflights, setCommonHeaders } from './http/common-headers.ts';
import { CursorSealer } from './http/cursor.ts';
import { RETRY } from './http/error-handling.ts';
import { newShutdown } from './http/graceful-shutdown.ts';
import { overloaded } from './http/overload.ts';
import { Problem } from './http/problem.ts';
import { serveProblemPages } from './http/problem-docs.ts';
import type { ProblemSlug } from './http/problem-types.ts';
import { ResponseWriter } from './http/response-writer.ts';
import { httpServer } from './http/server.ts';
import { LinkSigner } from './http/signed-links.ts';
import type { ParameterNames } from './http/validation.ts';
import { BROWSER_TOKEN_SECRET } from './ledger/browser-token.ts';
import { KeptSecrets } from './ledger/kept-secrets.ts';
import { RateWindow } from './ledger/rate-window.ts';
import type { ServingLedger } from './ledger/serving-ledger.ts';
import { MCP_PATH, serveMcp } from './mcp/serve-mcp.ts';
import { OpenCharges } from './metering/charges.ts';
import { QueryCache } from './metering/query-cache.ts';
import { ResponseCache } from './metering/response-cache.ts';
import { ARCHIVE_PATH, serveArchives } from './serve/serve-archives.ts';
import { serveExports } from './serve/serve-exports.ts';
import { serveFree } from './serve/serve-free.ts';
import { admitPost, serveKeyed } from './serve/serve-keyed.ts';
import { RELEASE_FEED_PATH, serveReleaseFeed } from './serve/serve-release-feed.ts';
import type { ProxyServices } from './services.ts';

/** Maximum size of a request body; the largest batch and the largest polygon fit. */
const MAX_BODY_BYTES = 2 ** 20;

declare module 'fastify' {
  interface FastifyInstance {
    readonly services: ProxyServices;
  }
}

const KEYED = { keyed: true };
const DEFAULT_RESPONSE_MEMORY: Bytes = 2 ** 26;
/**
 * Limits on concurrent POST requests, counted from the idempotency lookup until the response writer
 * holds the response, since each response may have 50,000 rows. A request that waits longer than
 * the timeout gets `Retry-After`, before its idle connection is closed.
 */
const POST_CONCURRENCY = {
  maxConcurrent: 6,
  maxPerClient: 2,
  timeout: { ms: 20_000, error: overloaded },
};

/** Builds the HTTP service over a source of releases and a ledger, not yet listening. */
export async function buildProxy(parts: {
  readonly releases: ReleaseSource;
  readonly ledger: ServingLedger;
  readonly config?: ProxyConfigInput;
  /** Wraps the whole request, for example in a trace span. */
  readonly around?: onRequestHookHandler;
  /** Memory that finished responses share with the release cache; separate by default. */
  readonly memory?: CacheBudget;
  /** Called with the name of an object whose damage fails a request. */
  readonly onDamage?: (object: string) => void;
}): Promise<FastifyInstance> {
  const parsed = proxyConfigSchema.parse(parts.config ?? {});
  const config = { ...parsed, problemBase: parsed.problemBase ?? `${parsed.baseUrl}/problems` };
  const memory = parts.memory ?? new CacheBudget(DEFAULT_RESPONSE_MEMORY);
  const cursorSecrets = await KeptSecrets.open(config.cursorSecrets, parts.ledger, 'cursors');
  const tokenSecrets = await KeptSecrets.open(undefined, parts.ledger, BROWSER_TOKEN_SECRET);
  const linkSecrets = await KeptSecrets.open(undefined, parts.ledger, 'export-links');
  const services: ProxyServices = {
    releases: parts.releases,
    ledger: parts.ledger,
    charges: new OpenCharges(),
    config,
    queries: new QueryCache(config.queryCacheBytes),
    responses: new ResponseCache(memory, config.responseCacheBytes),
    cursors: new CursorSealer(() => cursorSecrets.all),
    browserTokenSecrets: () => tokenSecrets.all,
    catalogue: new StaticResponseSender(),
    exports: new ExportLists(),
    links: new LinkSigner(() => linkSecrets.all),
    addressRates: new RateWindow(config.freeRateLimitPerMinute),
    responseWriter: new ResponseWriter({ maxWaiting: config.maxWaitingBytes }),
    postSemaphore: new FairSemaphore(POST_CONCURRENCY),
    shutdown: newShutdown(),
    parameterNames: PARAMETER_NAMES,
  };

  const helpAt = (slug: string) => (ACCOUNT_PROBLEMS.has(slug) ? config.accountUrl : undefined);
  const app = httpServer({
    problems: {
      base: config.problemBase,
      members: ({ slug }) => (helpAt(slug) ? { account_url: helpAt(slug) } : {}),
    },
    knownErrors: (error) => {
      if (error instanceof ShardError) parts.onDamage?.(error.object);
      return storeProblem(error);
    },
    rates: services.addressRates,
    trustProxy: config.trustProxy,
    logLevel: config.logLevel,
    maxBodyBytes: MAX_BODY_BYTES,
    setCommonHeaders,
    fixedHeaders: CORS_HEADERS,
    shedAtLagMs: config.shedAtLagMs,
    shutdown: services.shutdown,
    around: parts.around,
  });
  app.decorate('services', services);
  app.addHook('onClose', async () => services.responseWriter.close());
  app.addHook('onClose', async () => {
    cursorSecrets.close();
    tokenSecrets.close();
    linkSecrets.close();
  });
  app.decorateReply('balance', null);
  app.decorateReply('dataRelease', null);
  handlePreflights(app);
  app.decorateRequest('admitted', null);
  for (const endpoint of ENDPOINTS) route(app, endpoint, services);
  const document = documentOf(app, services);
  app.get('/openapi.json', async (request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return services.catalogue.send(request, reply, await document());
  });
  serveArchives(app, services);
  serveMcp(app, services);
  serveExports(app, services);
  serveReleaseFeed(app, services);
  const problemPage = problemPageOf(config);
  serveProblemPages(app, problemPage, helpAt);
  serveDocs(app, config, services.catalogue, document);
  app.knownPaths.add(
    allowedMethods([
      '/openapi.json',
      ARCHIVE_PATH,
      EXPORT_ROUTE,
      RELEASE_FEED_PATH,
      problemPage,
      ...DOCS_PATHS,
    ]),
  );
  return app;
}

/**
 * The OpenAPI document of the current release. Its modules are loaded once the server listens, or
 * with the first request, whichever is first.
 */
function documentOf(app: FastifyInstance, services: ProxyServices): () => Promise<StaticResponse> {
  const load = onDemand(async () => {
    const { ServedDocument } = await import('./openapi/served-document.ts');
    return new ServedDocument(ENDPOINTS, services);
  });
  app.addHook('onListen', async () => void (await load()));
  return async () => (await load()).current;
}

/** Problems that a key or tokens would solve; their responses link to the account page. */
const ACCOUNT_PROBLEMS: ReadonlySet<string> = new Set<ProblemSlug>([
  'missing-key',
  'invalid-key',
  'tokens-exhausted',
]);

/**
 * Route of the pages that problem types link to, without the path of the base URL, which the
 * reverse proxy strips.
 */
function problemPageOf({ problemBase, baseUrl }: { problemBase: string; baseUrl: string }): string {
  const { pathname } = new URL(problemBase);
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  const pages = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
  return `${pages.replace(/\/$/, '')}/:slug`;
}

/** Allowed methods per route; `texts` are paths that no endpoint declares. */
function allowedMethods(texts: readonly string[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, access } of ENDPOINTS) {
    const taken = access === 'posted' ? ['POST'] : ['GET', 'HEAD'];
    methods.set(fastifyPath(path), [...(methods.get(fastifyPath(path)) ?? []), ...taken]);
  }
  for (const path of texts) methods.set(path, ['GET', 'HEAD']);
  methods.set(MCP_PATH, ['POST']);
  return methods;
}

function route(app: FastifyInstance, endpoint: Endpoint, services: ProxyServices): void {
  const url = fastifyPath(endpoint.path);
  switch (endpoint.access) {
    case 'free':
      return void app.get(
        url,
        { config: { probe: endpoint.cache === 'never' } },
        serveFree(endpoint, services),
      );
    case 'keyed':
    case 'metered':
      return void app.get(url, { config: KEYED }, serveKeyed(endpoint, services));
    case 'posted':
      app.post(
        url,
        { config: KEYED, onRequest: admitPost(services) },
        serveKeyed(endpoint, services),
      );
      if (!GET_PATHS.has(endpoint.path)) refuseGet(app, url);
  }
}

/** A parameter of another route is refused as one that does not apply, not as unknown. */
const PARAMETER_NAMES: ParameterNames = new Set(
  ENDPOINTS.flatMap((endpoint) =>
    endpoint.access === 'posted'
      ? Object.keys(documentedBody(endpoint).shape)
      : [endpoint.params, endpoint.query].flatMap(({ shape }) => Object.keys(shape)),
  ),
);

const GET_PATHS = new Set(
  ENDPOINTS.filter(({ access }) => access !== 'posted').map(({ path }) => path),
);

/**
 * Refuses GET on a path that only POST serves, since a template may match that path:
 * `/v1/pois/catchment`, the path of a batch, also matches `/v1/pois/{dest_id}`.
 */
function refuseGet(app: FastifyInstance, url: string): void {
  app.get(url, (_request, reply) => reply.callNotFound());
}

function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/**
 * Maps unreadable data to a backend error, whose details are in the log; undefined for other
 * errors.
 */
function storeProblem(error: Error): Problem | undefined {
  if (!(error instanceof StoreError || error instanceof ShardError)) return undefined;
  const detail = 'the data is unavailable; nothing was charged';
  return new Problem('store-unavailable', detail, {}, RETRY);
}
