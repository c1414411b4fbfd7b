import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createClient } from '../../portal/client/src/index.ts';
import { CACHE_CONTROL } from '../../portal/http/caching.ts';
import { parseJson } from '../../portal/http/json-body.ts';
import { Problem } from '../../portal/http/problem.ts';
import type { ProxyConfig } from '../config.ts';
import { mcpServer } from './mcp-server.ts';

/** Path of the endpoint. */
export const MCP_PATH = '/mcp';

/** Messages of a batch, which counts as one request of its address. */
const MAX_MESSAGES = 10;

/**
 * Serves the Model Context Protocol at `POST /mcp`: streamable HTTP without sessions, so that any
 * process can respond to any request. Tools send their requests to the routes of this process with
 * the caller's key: they are admitted, limited and charged like those from outside.
 */
export function serveMcp(app: FastifyInstance, config: ProxyConfig): void {
  const { baseUrl, accountUrl = null, version } = config;
  const callers = new WeakMap<Request, FastifyRequest>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const caller = callers.get(requestInfo!)!;
      const client = createClient({
        baseUrl,
        apiKey: keyOf(caller),
        retries: 1,
        maxWaitMs: 2_000,
        fetch: fetchFrom(app, caller),
      });
      return mcpServer(client, { accountUrl, version });
    },
    { maxSubscriptions: 0 },
  );
  app.addHook('onClose', () => handler.close());
  app.post(MCP_PATH, async (request, reply) => {
    const { value, isWhole } = parseJson(request);
    if (!isWhole) throw new Problem('payload-too-large', 'a message has at most 25,000 values');
    if (Array.isArray(value) && value.length > MAX_MESSAGES) {
      throw new Problem('payload-too-large', `a batch has at most ${MAX_MESSAGES} messages`);
    }
    const asked = webRequest(request);
    callers.set(asked, request);
    const { status, headers, body } = await handler.fetch(asked, { parsedBody: value });
    reply.code(status).header('cache-control', CACHE_CONTROL.never);
    const type = headers.get('content-type');
    if (type !== null) reply.header('content-type', type);
    return reply.send(body === null ? '' : Buffer.from(await new Response(body).arrayBuffer()));
  });
}

/** The key as sent; its form is checked by the routes that need it. */
function keyOf({ headers }: FastifyRequest): string {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** The request for the SDK, without its body, which is parsed already, and without the key. */
function webRequest({ headers }: FastifyRequest): Request {
  const own = new Headers();
  for (const name of ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const value = headers[name];
    if (typeof value === 'string') own.set(name, value);
  }
  return new Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers: own });
}

/** `fetch` that passes requests to the routes of this process, in the name of the same address. */
function fetchFrom(
  app: FastifyInstance,
  { ip, raw, headers: { origin } }: FastifyRequest,
): typeof fetch {
  return async (input, init = {}) => {
    // A caller who has left would be charged for what is not delivered.
    if (raw.socket.destroyed) throw new DOMException('the caller has left', 'AbortError');
    const { pathname, search } = new URL(String(input));
    const response = await app.inject({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url: pathname + search,
      // Browser tokens are bound to the origin of the page.
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...(origin && { origin }) },
      remoteAddress: ip,
      ...(typeof init.body === 'string' && { payload: init.body }),
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers)) {
      if (value !== undefined) headers.set(name, String(value));
    }
    const hasBody = response.statusCode !== 204 && response.statusCode !== 304;
    return new Response(hasBody ? new Uint8Array(response.rawPayload) : null, {
      status: response.statusCode,
      headers,
    });
  };
}
