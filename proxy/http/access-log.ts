import { Socket } from 'node:net';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
} from 'fastify';
import { destination } from 'pino';
import { getOrInsertComputed } from '../../shards/arrays/group-by.ts';
import { DurationHistogram } from '../../shards/concurrency/duration-histogram.ts';

/**
 * Text that must not reach a log, whatever its source: API keys, credentials, secrets of the
 * payment processor, mail addresses, query strings. Matching takes time linear in the text:
 * adjacent runs have no character in common, and those without a fixed beginning are bounded.
 */
const PRIVATE: readonly (readonly [found: RegExp, shown: string])[] = [
  [/\b(t[ab]_live_)[\w-]+/g, '$1…'],
  [/\bBearer\s+[^\s"\\]+/gi, 'Bearer …'],
  [/\b(?:sk|rk|pk|whsec)_\w{8,}/g, 'secret_…'],
  [/(:\/\/)[^\s"/@:]*:[^\s"/@]*@/g, '$1…@'],
  [
    /[^\s"'<>()[\]{},;:\\/@]{1,256}@[^\s"'<>()[\]{},;:\\/@.]{1,63}(?:\.[^\s"'<>()[\]{},;:\\/@.]{0,63}){1,127}/g,
    '…@…',
  ],
  [/\?[^\s"?=\\]*=[^\s"\\]*/g, '?…'],
];

export function withoutSecrets(text: string): string {
  return PRIVATE.reduce((rest, [found, shown]) => rest.replace(found, shown), text);
}

/** Maximum size of buffered log lines; further lines are dropped. */
const MAX_WAITING_BYTES = 4 * 2 ** 20;

/**
 * Logger options of a server: JSON lines on standard output, each passed through `withoutSecrets`.
 * If the reader is blocked, lines are lost, but no request is delayed.
 */
export function serverLog(level: string): FastifyServerOptions['logger'] {
  if (level === 'silent') return { level };
  const stream = destination({ dest: 1, sync: false, maxLength: MAX_WAITING_BYTES });
  return { level, stream, hooks: { streamWrite: withoutSecrets } };
}

const QUIET_MS = 1_000;

/**
 * Logs errors that come by the thousand when a backend is down: one per second of each kind, with
 * the number suppressed since. Logging as fast as requests fail would cause the next outage.
 */
export class FaultLog {
  readonly #kinds = new Map<string, { nextMs: number; omitted: number }>();

  write(log: FastifyBaseLogger, entry: object, kind: string): void {
    const nowMs = performance.now();
    const last = this.#kinds.get(kind);
    if (last !== undefined && nowMs < last.nextMs) {
      last.omitted++;
      return;
    }
    const omitted = last?.omitted ?? 0;
    log.error(omitted > 0 ? { ...entry, omitted } : entry, kind);
    this.#kinds.set(kind, { nextMs: nowMs + QUIET_MS, omitted: 0 });
  }
}

class RouteTally {
  readonly durations = new DurationHistogram();
  /**
   * Number of responses by status. A response that did not end counts under the status of the
   * server's fault, or under 0 if the client disconnected.
   */
  readonly statuses = new Map([[500, 0]]);

  add(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.durations.add(ms);
  }
}

/** Name of the tally for malformed requests and those without a route. */
const UNMATCHED = 'unmatched';
/** Requests by route template, such as `GET /v1/blocks/{geoid}/summary`. */
export class RequestCounts {
  readonly routes = new Map<string, RouteTally>();
  underWay = 0;

  refused(status: number): void {
    this.route(UNMATCHED).add(status, 0);
  }

  route(name: string): RouteTally {
    return getOrInsertComputed(this.routes, name, () => new RouteTally());
  }
}

/** The route template of a request, which never contains text from the client's URL. */
function routeName({ is404, routeOptions: { method, url } }: FastifyRequest): string {
  if (is404 || url === undefined) return UNMATCHED;
  return templateOf(method, url);
}

function templateOf(method: string | readonly string[], url: string): string {
  return `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/**
 * Tracks each request until its response has been handed over or its client has disconnected:
 * counts it and, if `isLogged`, logs a line. Only the route of the URL is logged.
 */
export function countRequests(app: FastifyInstance, tally: RequestCounts, isLogged: boolean): void {
  // Series begin at zero, so that the first fault of a route shows as an increase.
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) tally.route(templateOf(one, url));
  });
  const known = new WeakMap<object, { readonly route: string; readonly of: RouteTally }>();
  const routeOf = (request: FastifyRequest) =>
    getOrInsertComputed(known, request.routeOptions.config, () => {
      const route = routeName(request);
      return { route, of: tally.route(route) };
    });
  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    const begunMs = performance.now();
    const { route, of } = routeOf(request);
    const { raw } = reply;
    tally.underWay++;
    raw.on('close', () => {
      const ms = performance.now() - begunMs;
      const status = isHandedOver(request, reply) ? raw.statusCode : (reply.faultStatus ?? 0);
      tally.underWay--;
      of.add(status, ms);
      if (!isLogged) return;
      app.log.info({ reqId: request.id, route, status, ms: Math.round(ms) }, 'request');
    });
    done();
  });
}

/**
 * Whether the whole response has been passed to the socket. A response to a request from within the
 * process has no socket, and is handed over once it has ended.
 */
function isHandedOver({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): boolean {
  return raw.writableFinished || (raw.writableEnded && !(socket instanceof Socket));
}
