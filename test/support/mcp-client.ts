import type { ProxyHarness } from './proxy-harness.ts';

/** Versions of the protocol that clients use. */
export const VERSIONS = ['2025-06-18', '2026-07-28'] as const;
export type Version = (typeof VERSIONS)[number];

/** Result of a tool call. */
export interface ToolCallResult {
  readonly isError?: boolean;
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly uri?: string;
  }[];
  // biome-ignore lint/suspicious/noExplicitAny: each tool has members of its own.
  readonly structuredContent: Readonly<Record<string, any>>;
}

export const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Message {
  readonly method: string;
  readonly params?: { readonly name?: string; readonly uri?: string };
}

/** Sends a message to `POST /mcp` as a client of a version does; returns the last response. */
export async function sendMessage(
  proxy: ProxyHarness,
  message: object,
  { version, key, headers = {} }: { version: Version; key?: string; headers?: object },
) {
  const { method, params } = message as Message;
  const name = params?.name ?? params?.uri;
  const response = await proxy.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(version === '2026-07-28' && { 'mcp-method': method, ...(name && { 'mcp-name': name }) }),
      ...headers,
    },
    payload: JSON.stringify(message),
  });
  const { body } = response;
  const isEvents = body.startsWith('event:') || body.includes('\ndata: ');
  const text = isEvents ? body.slice(body.indexOf('data: ') + 6).split('\n')[0] : body;
  return { status: response.statusCode, text, json: text === '' ? null : JSON.parse(text) };
}

/** A request of the protocol, with the members that its version requires. */
export function requestOf(method: string, params: object, version: Version) {
  const meta = version === '2026-07-28' ? { _meta: META } : {};
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, ...meta } };
}

/** Calls a tool; throws if the protocol fails, not if the tool does. */
export async function callTool(
  proxy: ProxyHarness,
  key: string | undefined,
  name: string,
  args: object,
  version: Version = '2026-07-28',
): Promise<ToolCallResult> {
  const message = requestOf('tools/call', { name, arguments: args }, version);
  const { json, text } = await sendMessage(proxy, message, { version, key });
  if (json.error) throw new Error(`${name}: ${text}`);
  return json.result;
}
