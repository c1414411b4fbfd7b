import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Time allowed for requests in progress when a server stops. */
export const CLOSE_WITHIN_MS = 10_000;

/** Time allowed for the API to stop, including the drain period in which it reports not-ready. */
export const endsWithinMs = ({ drainMs }: { readonly drainMs: number }): number =>
  drainMs + CLOSE_WITHIN_MS;

/** Host and port to listen on. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * The URL of a server on its own machine, such as `http://127.0.0.1:8080`. A server on all
 * addresses is also at the loopback address.
 */
export function localUrl({ host, port }: Endpoint): string {
  return urlOf({ host: ALL_ADDRESSES.has(host) ? '127.0.0.1' : host, port });
}

/**
 * Describes where a server can be reached: its public URL and, if different, the URL it listens on.
 */
export function whereabouts(publicUrl: string, listensOn: Endpoint): string {
  const listening = urlOf(listensOn);
  return publicUrl === listening ? publicUrl : `${publicUrl}, listening on ${listening}`;
}

function urlOf({ host, port }: Endpoint): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Returns the given port, or a free one for 0, for callers that need the port before listening. */
export async function settledPort(at: Endpoint): Promise<number> {
  if (at.port !== 0) return at.port;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, at.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
