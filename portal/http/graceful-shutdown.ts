import { Server } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Millis } from '../../shards/units.ts';

/**
 * Time without a request after which open connections count as unused. Closing them while a proxy
 * still uses them would break a request that it has just forwarded.
 */
const UNUSED_MS: Millis = 250;
/** Limit on the time in which open connections may send one more request each. */
const LAST_REQUESTS_MS: Millis = 2_000;
const POLL_MS: Millis = 10;
/** Maximum number of connections that the kernel holds for a server to accept: Node's default. */
const BACKLOG = 511;

/** Whether a server is shutting down, and what it stays open for. */
export interface Shutdown {
  hasBegun: boolean;
  /** Requests in progress that send onward requests to the server, which it must still accept. */
  senders: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly shutdown: Shutdown;
  }
}

/**
 * Shuts a server down without breaking connections in use. Once `shutdown` has begun, each response
 * is the last of its connection (`Connection: close`). Closing stops listening first, so that new
 * clients are refused and can go elsewhere. It closes idle connections once no more requests arrive
 * on any connection.
 */
export function shutDownGracefully(app: FastifyInstance, shutdown: Shutdown): void {
  app.decorate('shutdown', shutdown);
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (shutdown.hasBegun) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', () => stopListening(app));
}

/** Closes a server, which accepts onward requests until their senders have ended. */
export async function closeGracefully(app: FastifyInstance): Promise<void> {
  // Fastify rejects onward requests once `close` has been called.
  await stopListening(app);
  await app.close();
}

async function stopListening(app: FastifyInstance): Promise<void> {
  const { server, shutdown } = app;
  shutdown.hasBegun = true;
  if (!server.listening) return;
  await arrivalsRead(app);
  // The HTTP server's `close` would close idle connections too.
  Server.prototype.close.call(server);
  const openConnections = promisify(server.getConnections.bind(server));
  const endMs = performance.now() + LAST_REQUESTS_MS;
  let lastRequestMs = performance.now();
  server.on('request', () => {
    lastRequestMs = performance.now();
  });
  const isInUse = () =>
    performance.now() < Math.min(lastRequestMs + UNUSED_MS, endMs) || shutdown.senders > 0;
  while ((await openConnections()) > 0 && isInUse()) {
    await pause(POLL_MS);
    // After a stall of the event loop, the requests that arrived during it count as well.
    await arrivalsRead(app);
  }
  await arrivalsRead(app);
  server.closeIdleConnections();
}

/**
 * Resolves right after the event loop has accepted and read what had arrived. Closing a socket
 * resets connections that are not accepted yet, or a request that is not read, and a proxy in front
 * must not repeat a POST. The event loop polls after its timers, so a pause may end with unread
 * arrivals, and it accepts one connection per turn.
 */
async function arrivalsRead({ server }: FastifyInstance): Promise<void> {
  let hasAccepted = true;
  const onConnection = () => {
    hasAccepted = true;
  };
  server.on('connection', onConnection);
  for (let accepted = 0; hasAccepted && accepted < BACKLOG; accepted++) {
    hasAccepted = false;
    await immediate();
    await immediate();
  }
  server.off('connection', onConnection);
}
