import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorOf } from '../../portal/client/src/api-error.ts';
import { type Client, clientOver } from '../../portal/client/src/client.ts';
import { createRetries, dataOf, type Reply, retryAfterMs } from '../../portal/client/src/sender.ts';
import type { Endpoint } from '../endpoint.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { execute } from '../execute.ts';
import { WITHOUT_CONTENT } from '../finish-response.ts';
import { Body } from '../http/body.ts';
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
 * The sender of a message, for whom tools make requests. Their answers become part of the response
 * to the message, and count as delivered as far as it is.
 */
export class ToolCaller extends HttpCaller {
  readonly #reply: FastifyReply;
  readonly #delivered: Promise<DeliveredFraction>;
  #settle!: (delivered: DeliveredFraction | Promise<DeliveredFraction>) => void;
  /** Tokens charged for all answers. */
  #charged = 0;

  constructor(services: ProxyServices, message: FastifyRequest, reply: FastifyReply) {
    super(services, message, reply);
    this.#reply = reply;
    this.#delivered = new Promise((resolve) => {
      this.#settle = resolve;
      reply.raw.once('close', () => resolve(0));
    });
  }

  /** Sends the response to the message; the answers are delivered as far as the response is. */
  respond(status: number, contentType: string, bytes: Buffer): void {
    const response = { ...WITHOUT_CONTENT, body: Body.of(bytes), contentType };
    const { rate } = this.#reply;
    const charged = this.#charged;
    this.#settle(super.deliver({ status, response, charged, ...(rate && { rate }) }));
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
      this.#charged += answer.charged;
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
