import { randomUUID } from 'node:crypto';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  LightMyRequestResponse,
} from 'fastify';
import { type Client, createClient } from '../../portal/client/src/index.ts';
import { formatFor, JSON_ALONE, MEDIA_TYPES } from '../formats/negotiate.ts';
import { bearerToken } from '../http/bearer-token.ts';
import { CACHE_CONTROL } from '../http/caching.ts';
import { parseJson } from '../http/json-body.ts';
import { Problem } from '../http/problem.ts';
import { overRate } from '../http/rate-limiting.ts';
import type { DeliveredFraction } from '../http/response-writer.ts';
import { authorize } from '../metering/authorize.ts';
import type { ProxyServices } from '../services.ts';
import { requireKnownOrigin } from './known-origin.ts';
import { mcpServer } from './mcp-server.ts';

const KEY_ADVICE = 'send it as "Authorization: Bearer KEY"';

/**
 * Maximum number of values in a message, far above that of any call: the SDK searches all of a
 * message's values in one step.
 */
const MAX_VALUES = { values: 2_500, advice: 'send fewer arguments and messages' };
/** Maximum number of messages in a batch, each of which counts as a request. */
const MAX_MESSAGES = 10;

/** Media type of a stream of messages, as server-sent events. */
const EVENTS = 'text/event-stream';

/** Responds to the messages of MCP clients. */
export interface MessageHandler {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  close(): Promise<void>;
}

/**
 * Opens the Model Context Protocol as streamable HTTP without sessions, so that any process can
 * respond to any request. Tools send their requests to the routes of this process with the caller's
 * key. These requests are admitted and charged like those from outside, but neither shed nor
 * counted against an address, since the message already was.
 */
export function openMessageHandler(app: FastifyInstance, services: ProxyServices): MessageHandler {
  const { baseUrl, accountUrl = null, version } = services.config;
  const callers = new WeakMap<Request, Caller>();
  const clientOf = (message: Request): Client => {
    const caller = callers.get(message)!;
    const fetch = fetchFrom(app, caller);
    return createClient({ baseUrl, apiKey: caller.key, retries: 1, maxWaitMs: 2_000, fetch });
  };
  const site = { accountUrl, version, keyAdvice: KEY_ADVICE };
  const handler = createMcpHandler(({ requestInfo }) => mcpServer(clientOf(requestInfo!), site));
  const { shutdown } = services;
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    await countMessage(services, request, reply);
    const key = keyOf(request);
    requireKnownOrigin(request, key, services);
    const { accept } = request.headers;
    formatFor(accept, JSON_ALONE);
    const value = parseJson(request, { limit: MAX_VALUES });
    if (Array.isArray(value) && value.length > MAX_MESSAGES) {
      throw new Problem('payload-too-large', `a batch has at most ${MAX_MESSAGES} messages`);
    }
    const others = Array.isArray(value) ? value.slice(1) : [];
    for (const _ of others) await countMessage(services, request, reply);
    const asked = webRequest(request);
    callers.set(asked, { request, key, delivered: deliveryOf(reply) });
    shutdown.senders++;
    try {
      const { status, headers, body } = await handler.fetch(asked, { parsedBody: value });
      const whole = body === null ? '' : Buffer.from(await new Response(body).arrayBuffer());
      reply.code(status).header('cache-control', CACHE_CONTROL.never);
      const type = headers.get('content-type');
      if (type?.startsWith(EVENTS) && !accept?.includes(EVENTS)) {
        return reply.header('content-type', MEDIA_TYPES.json).send(responsesIn(`${whole}`, value));
      }
      if (type !== null) reply.header('content-type', type);
      return reply.send(whole);
    } finally {
      shutdown.senders--;
    }
  };
  return { handle, close: () => handler.close() };
}

/**
 * Counts a message like a keyed request against the account of its key, so that the customers of a
 * hosted assistant do not use up each other's rate. Without a valid key, or while keys cannot be
 * checked, counts the message against its address.
 */
async function countMessage(
  services: ProxyServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    await authorize(services, request, reply);
  } catch (error) {
    const excess =
      error instanceof Problem && error.slug === 'rate-limited'
        ? error
        : overRate(services.addressRates, request, reply);
    if (excess) throw excess;
  }
}

/** The sender of a message, on whose behalf tools send requests. */
interface Caller {
  readonly request: FastifyRequest;
  readonly key: string;
  readonly delivered: Promise<DeliveredFraction>;
}

/** Resolves with 1 once a response has been sent as a whole, or 0 if the connection ends first. */
function deliveryOf({ raw }: FastifyReply): Promise<DeliveredFraction> {
  return new Promise((resolve) => {
    raw.once('finish', () => resolve(1));
    raw.once('close', () => resolve(0));
  });
}

/**
 * Returns the responses in a stream of events as JSON, without notifications: a list for a batch.
 * Throws `not-acceptable` if the request has no response but a stream.
 */
function responsesIn(events: string, request: unknown): string {
  const messages = Array.from(events.matchAll(/^data: (.+)$/gm), ([, data]) => data);
  const responses = messages.filter((message) => !('method' in JSON.parse(message)));
  if (responses.length === 0) {
    throw new Problem('not-acceptable', `the response is ${EVENTS}; list it in Accept`);
  }
  return Array.isArray(request) ? `[${responses.join()}]` : responses[0];
}

/** Returns the key as sent; the routes that need it check its form. */
function keyOf({ headers }: FastifyRequest): string {
  return bearerToken(headers.authorization) ?? '';
}

/**
 * Builds the request for the SDK, without its body, which is already parsed, and without the key.
 * The SDK refuses clients that do not list both of its media types.
 */
function webRequest({ headers }: FastifyRequest): Request {
  const own = new Headers({ accept: `application/json, ${EVENTS}` });
  for (const name of ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const value = headers[name];
    if (typeof value === 'string') own.set(name, value);
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers: own });
}

/**
 * Returns a `fetch` that passes requests to the routes of this process, from the address of the
 * caller. Load shedding and address limits apply only to the message that the requests are sent
 * for. The requests are paid for once the caller has the result that they became part of.
 */
function fetchFrom(app: FastifyInstance, { request, delivered }: Caller): typeof fetch {
  const { ip, raw } = request;
  const { origin } = request.headers;
  const { onward } = app.services;
  return async (input, init = {}) => {
    // A caller who has left needs no further request.
    if (raw.socket.destroyed) throw new DOMException('the caller has left', 'AbortError');
    const { pathname, search } = new URL(String(input));
    const sent = new Headers(init.headers);
    const id = sent.get('x-request-id') ?? randomUUID();
    sent.set('x-request-id', id);
    onward.set(id, delivered);
    try {
      const response = await app.inject({
        method: init.method === 'POST' ? 'POST' : 'GET',
        url: pathname + search,
        // Browser tokens are bound to the origin of the page.
        headers: { ...Object.fromEntries(sent), ...(origin && { origin }) },
        remoteAddress: ip,
        ...(typeof init.body === 'string' && { payload: init.body }),
      });
      return webResponse(response);
    } finally {
      onward.delete(id);
    }
  };
}

function webResponse({ headers, statusCode, rawPayload }: LightMyRequestResponse): Response {
  const received = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) received.set(name, String(value));
  }
  const hasBody = statusCode !== 204 && statusCode !== 304;
  return new Response(hasBody ? new Uint8Array(rawPayload) : null, {
    status: statusCode,
    headers: received,
  });
}
