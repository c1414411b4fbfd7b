import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** How long requests that have begun may take when a server ends. */
export const CLOSE_WITHIN_MS = 10_000;

/** How long the end of the API may take: first it says for a while that it is not ready. */
export const endsWithinMs = ({ drainMs }: { readonly drainMs: number }): number =>
  drainMs + CLOSE_WITHIN_MS;

/** Host and port to listen on. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * The URL of a server on its own machine, such as `http://127.0.0.1:8080`. One on all addresses is at
 * the loopback address too.
 */
export function localUrl({ host, port }: Endpoint): string {
  return urlOf({ host: ALL_ADDRESSES.has(host) ? '127.0.0.1' : host, port });
}

/** Where a server is, for the person who started it: its public URL and, unless that says it, where it listens. */
export function whereabouts(publicUrl: string, listensOn: Endpoint): string {
  const listening = urlOf(listensOn);
  return publicUrl === listening ? publicUrl : `${publicUrl}, listening on ${listening}`;
}

function urlOf({ host, port }: Endpoint): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The port itself, or for 0 one that is free: for who has to know it before listening. */
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
