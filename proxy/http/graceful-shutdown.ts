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
/** A turn of the event loop this short has left hardly any time for arrivals since its poll. */
const QUIET_TURN_MS: Millis = 1;
/** Limit on waiting for a quiet turn, since a busy server may have none. */
const QUIET_WITHIN_MS: Millis = 1_000;

export interface Shutdown {
  hasBegun: boolean;
  /** Whether each response is the last of its connection (`Connection: close`). */
  closesConnections: boolean;
}

export function newShutdown(): Shutdown {
  return { hasBegun: false, closesConnections: false };
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly shutdown: Shutdown;
  }
}

/**
 * Shuts a server down without breaking connections in use. Closing stops listening first, so that
 * new clients are refused and can go elsewhere. From then on each response is the last of its
 * connection. Idle connections are closed once no more requests arrive on any connection.
 */
export function shutDownGracefully(app: FastifyInstance, shutdown: Shutdown): void {
  app.decorate('shutdown', shutdown);
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (shutdown.closesConnections) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', () => stopListening(app));
}

/** Closes a server, which keeps open connections until it has stopped listening. */
export async function closeGracefully(app: FastifyInstance): Promise<void> {
  // Fastify makes each response after `close` the last of its connection.
  await stopListening(app);
  await app.close();
}

async function stopListening(app: FastifyInstance): Promise<void> {
  const { server, shutdown } = app;
  shutdown.hasBegun = true;
  if (!server.listening) return;
  // Otherwise, clients would open new connections, which are reset if they arrive just when the
  // server stops listening.
  shutdown.closesConnections = false;
  await arrivalsRead(app);
  // The HTTP server's `close` would close idle connections too.
  Server.prototype.close.call(server);
  shutdown.closesConnections = true;
  const openConnections = promisify(server.getConnections.bind(server));
  const endMs = performance.now() + LAST_REQUESTS_MS;
  let lastRequestMs = performance.now();
  server.on('request', () => {
    lastRequestMs = performance.now();
  });
  const isInUse = () => performance.now() < Math.min(lastRequestMs + UNUSED_MS, endMs);
  while ((await openConnections()) > 0 && isInUse()) {
    await pause(POLL_MS);
    // After a stall of the event loop, the requests that arrived during it count as well.
    await arrivalsRead(app);
  }
  await arrivalsRead(app);
  server.closeIdleConnections();
}

/**
 * Resolves right after the event loop has accepted and read what had arrived, or when there has
 * been no such moment for a second or two. Closing a socket resets connections that are not
 * accepted yet, or a request that is not read, and a proxy in front must not repeat a POST. The
 * event loop polls after its timers, so a pause may end with unread arrivals. It accepts one
 * connection per turn, and more arrive while it handles requests, so that only a short turn without
 * a new connection leaves nothing unread.
 */
async function arrivalsRead({ server }: FastifyInstance): Promise<void> {
  let hasAccepted = false;
  const onConnection = () => {
    hasAccepted = true;
  };
  server.on('connection', onConnection);
  // The current turn may be past its poll.
  await immediate();
  const startMs = performance.now();
  for (let turnMs = startMs; ; turnMs = performance.now()) {
    hasAccepted = false;
    await immediate();
    const nowMs = performance.now();
    const isQuiet = !hasAccepted && nowMs - turnMs < QUIET_TURN_MS;
    // A connection that was just accepted may not be the last of those that had arrived.
    const withinMs = hasAccepted ? 2 * QUIET_WITHIN_MS : QUIET_WITHIN_MS;
    if (isQuiet || nowMs - startMs > withinMs) break;
  }
  server.off('connection', onConnection);
}
