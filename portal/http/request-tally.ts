import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Durations } from '../../shards/durations.ts';

/** What has come of the requests of a route. */
class RouteTally {
  readonly durations = new Durations();
  /** How many were answered with each status; 0 for those whose client left before the end. */
  readonly statuses = new Map<number, number>();

  add(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.durations.add(ms);
  }
}

/** What leads to no route, and what is no request. */
const UNMATCHED = 'unmatched';
/** Requests by the template of their route, such as `GET /v1/blocks/{geoid}/summary`. */
export class RequestTally {
  readonly routes = new Map<string, RouteTally>();
  underWay = 0;

  /** One that was refused before a route was looked for. */
  refused(status: number): void {
    this.route(UNMATCHED).add(status, 0);
  }

  route(name: string): RouteTally {
    const known = this.routes.get(name);
    if (known !== undefined) return known;
    const made = new RouteTally();
    this.routes.set(name, made);
    return made;
  }
}

/** The route of a request by its template: never what a client has put into a URL. */
function routeName({ is404, routeOptions: { method, url } }: FastifyRequest): string {
  if (is404 || url === undefined) return UNMATCHED;
  // Those that a known path does not take are one route.
  const verb = typeof method === 'string' ? method : 'OTHER';
  return `${verb} ${url.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/**
 * Follows each request to its end, which is when its answer has been handed over or its client has
 * gone: counts it, and writes a line to the log where `isLogged`. Of the URL, only the route is
 * written.
 */
export function tallyRequests(app: FastifyInstance, tally: RequestTally, isLogged: boolean): void {
  const known = new WeakMap<object, { readonly route: string; readonly of: RouteTally }>();
  const routeOf = (request: FastifyRequest) => {
    const { config } = request.routeOptions;
    const found = known.get(config);
    if (found !== undefined) return found;
    const route = routeName(request);
    const made = { route, of: tally.route(route) };
    known.set(config, made);
    return made;
  };
  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    const begunMs = performance.now();
    const { route, of } = routeOf(request);
    const { raw } = reply;
    tally.underWay++;
    raw.on('close', () => {
      const ms = performance.now() - begunMs;
      const status = raw.writableFinished ? raw.statusCode : 0;
      tally.underWay--;
      of.add(status, ms);
      if (!isLogged) return;
      app.log.info({ reqId: request.id, route, status, ms: Math.round(ms) }, 'request');
    });
    done();
  });
}
