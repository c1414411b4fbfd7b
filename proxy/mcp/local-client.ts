import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorOf } from '../../portal/client/src/api-error.ts';
import { type Client, clientOver } from '../../portal/client/src/client.ts';
import { createRetries, dataOf, type Reply, retryAfterMs } from '../../portal/client/src/sender.ts';
import type { Endpoint } from '../endpoint.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { execute } from '../execute.ts';
import { problemText } from '../http/problem.ts';
import type { DeliveredFraction } from '../http/response-writer.ts';
import { localRequest } from '../local-request.ts';
import { authorize } from '../metering/authorize.ts';
import { PrincipalGone, requirePresence } from '../metering/charges.ts';
import type { Admitted, Answer, ApiRequest } from '../metering/principal.ts';
import { HttpCaller } from '../serve/serve-keyed.ts';
import type { ProxyServices } from '../services.ts';

const BY_ROUTE = new Map(ENDPOINTS.map((endpoint) => [routeOf(endpoint), endpoint]));

function routeOf({ access, path }: Endpoint): string {
  return `${access === 'posted' ? 'POST' : 'GET'} ${path}`;
}

/** Retries within the time that a conversation may wait. */
const RETRIES = { retries: 1, maxWaitMs: 2_000 };

/** Returns a client whose requests are executed in this process, for the sender of a message. */
export function localClient(sender: ToolCaller): Client {
  const retried = createRetries(RETRIES);
  return clientOver(({ method, path }, params, { accept }) => {
    const endpoint = BY_ROUTE.get(`${method} ${path}`)!;
    const request = localRequest(endpoint, params, accept);
    return retried(() => sender.send(endpoint, request));
  });
}

/**
 * The sender of a message, for whom tools make requests. Answers count as delivered once the sender
 * has the result that they became part of.
 */
export class ToolCaller extends HttpCaller {
  readonly #delivered: Promise<DeliveredFraction>;

  constructor(services: ProxyServices, message: FastifyRequest, reply: FastifyReply) {
    super(services, message, reply);
    const { raw } = reply;
    this.#delivered = new Promise((resolve) => {
      raw.once('finish', () => resolve(1));
      raw.once('close', () => resolve(0));
    });
  }

  /** Executes a request, and counts it under its own route. */
  async send(endpoint: Endpoint, request: ApiRequest): Promise<Reply<unknown>> {
    const { id, log, server } = this.request;
    requirePresence(this);
    const begunMs = performance.now();
    const route = routeOf(endpoint);
    const count = (status: number) => {
      const ms = performance.now() - begunMs;
      server.tally.route(route).add(status, ms);
      log.info({ reqId: id, route, status, ms: Math.round(ms) }, 'request');
    };
    try {
      const exchange = { request, principal: this, services: this.services };
      const answer = await execute(endpoint, exchange);
      count(answer.status);
      return replyOf(answer, id);
    } catch (error) {
      if (error instanceof PrincipalGone) throw error;
      const problem = server.problemOf(error as Error, this.request);
      count(problem.status);
      const style = { base: this.services.config.problemBase };
      throw errorOf(JSON.parse(problemText(style, problem)), {
        status: problem.status,
        requestId: id,
        tokens: { charged: 0, remaining: null },
        retryAfterMs: retryAfterMs(problem.headers['retry-after']),
      });
    }
  }

  // The headers of the message's response state the message's rate and no release.
  override authorize(freeForMembers?: boolean): Promise<Admitted> {
    const unstated = { balance: null, rate: null };
    return authorize(this.services, this.request, unstated, freeForMembers);
  }
  override reads(): void {}

  override deliver(): Promise<DeliveredFraction> {
    return this.#delivered;
  }
}

function replyOf(answer: Answer, requestId: string): Reply<unknown> {
  const { response, charged, remaining = null, etag, release = null } = answer;
  const headers = new Headers(response.metadata);
  if (etag !== undefined) headers.set('etag', etag);
  return {
    data: dataOf(response.body.whole(), response.contentType ?? ''),
    tokens: { charged, remaining },
    requestId,
    release,
    headers,
  };
}
