import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long requests that have begun may take when a server ends. */
export const CLOSE_WITHIN_MS = 10_000;

/** How long the end of the API may take: first it says for a while that it is not ready. */
export const endsWithinMs = ({ drainMs }: { readonly drainMs: number }): number =>
  drainMs + CLOSE_WITHIN_MS;

/** Has a server listen; where, such as `http://127.0.0.1:8080`. */
export async function listen(
  app: FastifyInstance,
  at: { readonly port: number; readonly host: string },
): Promise<string> {
  await app.listen({ port: at.port, host: at.host });
  const { address, port } = app.server.address() as AddressInfo;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** The port itself, or for 0 one that is free: for who has to know it before listening. */
export async function settledPort(at: { port: number; host: string }): Promise<number> {
  if (at.port !== 0) return at.port;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, at.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
