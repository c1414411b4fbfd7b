import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A request as it went over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly range: string | null;
  readonly cacheControl: string | null;
  readonly headers: IncomingHttpHeaders;
}

/** An answer on its way: what comes of the server may be altered. */
interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/**
 * What is done to a request or its answer. `cut`: bytes of the body after which the connection
 * breaks; `lost`: it breaks when all is done, before the answer.
 */
export type Fault =
  | { readonly alter: (answer: Answer) => void }
  | { readonly cut: number }
  | { readonly delayMs: number }
  | 'reset'
  | 'lost'
  | 'silence';

type Alteration = Extract<Fault, { alter: unknown }>['alter'];

export const altered = (alter: Alteration): Fault => ({ alter });

/** Another answer in place of what came: its status, and nothing else but a body. */
export function status(code: number, body = ''): Fault {
  return altered((answer) => {
    answer.status = code;
    answer.headers = {};
    answer.body = Buffer.from(body);
  });
}

/** A server in front of another, which counts what is asked and does to the answers as it is told. */
export interface Wire {
  readonly address: string;
  requests: WireRequest[];
  /** What befalls the next request; null: nothing. */
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
    const answer = await forwarded(target, asked);
    if (fault === 'lost') return void asked.socket.resetAndDestroy();
    if (fault !== null && 'alter' in fault) fault.alter(answer);
    if (fault !== null && 'delayMs' in fault) await pause(fault.delayMs);
    reply.writeHead(answer.status, answer.headers);
    if (fault === null || !('cut' in fault)) return void reply.end(answer.body);
    reply.write(answer.body.subarray(0, fault.cut), () => asked.socket.destroy());
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

/** What the server behind says; it sees the request as it was sent, its signature too. */
function forwarded(target: string, asked: IncomingMessage): Promise<Answer> {
  const { method, url, headers } = asked;
  return new Promise((resolve, reject) => {
    const onward = request(new URL(url ?? '/', target), { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
      answer.on('end', () => {
        const { 'transfer-encoding': _, ...sent } = answer.headers;
        resolve({ status: answer.statusCode ?? 0, headers: sent, body: Buffer.concat(chunks) });
      });
    });
    onward.on('error', reject);
    asked.pipe(onward);
  });
}
