import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A request as sent over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly range: string | null;
  readonly cacheControl: string | null;
  readonly headers: IncomingHttpHeaders;
}

/** A response in transit, which may be altered. */
interface HttpResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/**
 * The effect on a request or its response. `cut`: bytes of the body after which the connection
 * breaks; `lost`: the connection breaks after processing, before the response.
 */
export type Fault =
  | { readonly alter: (response: HttpResponse) => void }
  | { readonly cut: number }
  | { readonly delayMs: number }
  | 'reset'
  | 'lost'
  | 'silence';

type Alteration = Extract<Fault, { alter: unknown }>['alter'];

export const altered = (alter: Alteration): Fault => ({ alter });

/** The real response with a header set or replaced. */
export const withHeader = (name: string, value: string): Fault =>
  altered(({ headers }) => {
    headers[name] = value;
  });

/** The real response with another body, and a length to match. */
export const withBody = (change: (whole: Buffer) => Buffer): Fault =>
  altered((response) => {
    response.body = change(response.body);
    response.headers['content-length'] = String(response.body.length);
  });

/** Another response instead of the real one, with only a status and a body. */
export function status(code: number, body = ''): Fault {
  return altered((response) => {
    response.status = code;
    response.headers = {};
    response.body = Buffer.from(body);
  });
}

/** A server in front of another, which records requests and alters responses as instructed. */
export interface Wire {
  readonly address: string;
  requests: WireRequest[];
  /** Returns the effect on a request; null for none. */
  fault: (request: WireRequest) => Fault | null;
  close(): Promise<void>;
}

export async function openWire(target: string): Promise<Wire> {
  const server = createServer((asked, reply) => {
    pass(asked, reply).catch(() => reply.destroy());
  });
  async function pass(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = asked;
    const cacheControl = headers['cache-control'] ?? null;
    const seen = { method, path, range: headers.range ?? null, cacheControl, headers };
    wire.requests.push(seen);
    const fault = wire.fault(seen);
    if (fault === 'reset') return void asked.socket.resetAndDestroy();
    if (fault === 'silence') return;
    const response = await forwarded(target, asked);
    if (fault === 'lost') return void asked.socket.resetAndDestroy();
    if (fault !== null && 'alter' in fault) fault.alter(response);
    if (fault !== null && 'delayMs' in fault) await pause(fault.delayMs);
    reply.writeHead(response.status, response.headers);
    if (fault === null || !('cut' in fault)) return void reply.end(response.body);
    reply.write(response.body.subarray(0, fault.cut), () => asked.socket.destroy());
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const wire: Wire = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    fault: () => null,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return wire;
}

/** Returns the upstream's response to the request as sent, including its signature. */
function forwarded(target: string, asked: IncomingMessage): Promise<HttpResponse> {
  const { method, url, headers } = asked;
  return new Promise((resolve, reject) => {
    const onward = request(new URL(url ?? '/', target), { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const { 'transfer-encoding': _, ...sent } = response.headers;
        resolve({ status: response.statusCode ?? 0, headers: sent, body: Buffer.concat(chunks) });
      });
    });
    onward.on('error', reject);
    asked.pipe(onward);
  });
}
