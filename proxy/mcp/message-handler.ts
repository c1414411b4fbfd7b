import {
  createMcpHandler,
  localhostAllowedOrigins,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../../portal/client/src/index.ts';
import { wordsOf } from '../fields/served-words.ts';
import { formatFor, JSON_ALONE, MEDIA_TYPES } from '../formats/negotiate.ts';
import { bearerToken } from '../http/bearer-token.ts';
import { CACHE_CONTROL } from '../http/caching.ts';
import { parseJson } from '../http/json-body.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { overRate } from '../http/rate-limiting.ts';
import { isBrowserToken, openBrowserToken } from '../ledger/browser-token.ts';
import { authorize } from '../metering/authorize.ts';
import type { ProxyServices } from '../services.ts';
import { localClient, ToolCaller } from './local-client.ts';
import { mcpServer } from './mcp-server.ts';

const KEY_ADVICE = 'send it as "Authorization: Bearer KEY"';

/**
 * Maximum number of values in a message, far above that of any call: the SDK searches all of a
 * message's values in one step.
 */
const MAX_VALUES = { values: 2_500, advice: 'send fewer arguments and messages' };
/** Maximum number of messages in a batch, each of which counts as a request. */
const MAX_MESSAGES = 10;
const MAX_ID = 40;

const EVENTS = 'text/event-stream';

const LOOPBACK: ReadonlySet<string> = new Set(localhostAllowedOrigins());

export interface MessageHandler {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  close(): Promise<void>;
}

/**
 * Opens the Model Context Protocol as streamable HTTP without sessions, so that any process can
 * respond to any request. The requests of tools are executed in this process, for the sender of the
 * message. They are admitted and charged like those from outside, but neither shed nor counted
 * against an address, since the message already was.
 */
export function openMessageHandler(services: ProxyServices): MessageHandler {
  const { accountUrl = null, version } = services.config;
  const clients = new WeakMap<Request, Client>();
  const site = { accountUrl, version, keyAdvice: KEY_ADVICE };
  const handler = createMcpHandler(({ requestInfo }) =>
    mcpServer(clients.get(requestInfo!)!, site, wordsOf(services.releases.current)),
  );
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    await countMessage(services, request, reply);
    requireKnownOrigin(request, services);
    const { accept } = request.headers;
    formatFor(accept, JSON_ALONE);
    const value = parseJson(request, { limit: MAX_VALUES });
    const others = Array.isArray(value) ? value.slice(1, MAX_MESSAGES) : [];
    const parsedBody = Array.isArray(value) ? messagesOf(value) : value;
    for (const _ of others) await countMessage(services, request, reply);
    const asked = webRequest(request);
    const sender = new ToolCaller(services, request, reply);
    clients.set(asked, localClient(sender));
    const { status, headers, body } = await handler.fetch(asked, { parsedBody });
    const type = headers.get('content-type');
    if (body === null || type === null) {
      return reply.code(status).header('cache-control', CACHE_CONTROL.never).send();
    }
    const whole = Buffer.from(await new Response(body).arrayBuffer());
    if (type.startsWith(EVENTS) && !accept?.includes(EVENTS)) {
      sender.respond(status, MEDIA_TYPES.json, Buffer.from(responsesIn(`${whole}`, value)));
    } else {
      sender.respond(status, type, whole);
    }
    return undefined;
  };
  return { handle, close: () => handler.close() };
}

/** The members of a message that relate it to others of its batch. */
interface Message {
  readonly id?: string | number | null;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/**
 * Returns the messages of a batch without the calls that the batch itself cancels, which have no
 * response. Throws if there are too many, or two with the same id, whose responses could not be
 * told apart.
 */
function messagesOf(batch: readonly (Message | null)[]): unknown[] {
  if (batch.length > MAX_MESSAGES) {
    throw new Problem('payload-too-large', `a batch has at most ${MAX_MESSAGES} messages`);
  }
  const ids = batch.map((message) => message?.id);
  for (const [i, id] of ids.entries()) {
    if (id == null || ids.indexOf(id) === i) continue;
    const msg = `is that of another message of the batch, ${JSON.stringify(id).slice(0, MAX_ID)}`;
    throw invalidParameter(['body', i, 'id'], msg, 'repeated');
  }
  const cancelled = batch
    .filter((message) => message?.method === 'notifications/cancelled')
    .map((message) => message?.params?.requestId);
  return batch.filter((message) => message?.id == null || !cancelled.includes(message.id));
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

/**
 * Refuses pages of unknown origins on a service at a loopback address, as the protocol requires:
 * any page could call the tools by a name that resolves to the machine (DNS rebinding). Known
 * origins are those of the machine and of the portal, and the one that a browser token is bound to.
 * A public service admits no caller by address alone, so any page may call it with a key.
 */
function requireKnownOrigin(
  { headers }: FastifyRequest,
  services: Pick<ProxyServices, 'config' | 'browserTokenSecrets'>,
): void {
  const { origin } = headers;
  const { baseUrl, accountUrl } = services.config;
  if (origin === undefined || !LOOPBACK.has(new URL(baseUrl).hostname)) return;
  const known = [...LOOPBACK, ...(accountUrl === undefined ? [] : [new URL(accountUrl).hostname])];
  if (validateOriginHeader(origin, known).ok) return;
  const key = bearerToken(headers.authorization);
  const token =
    key !== null && isBrowserToken(key)
      ? openBrowserToken(services.browserTokenSecrets(), key)
      : undefined;
  if (token?.origin === origin) return;
  throw new Problem('origin-not-allowed', 'the request comes from a page of another origin');
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
