import { Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Millis } from '../../shards/units.ts';

/**
 * Grace period in which open connections may send one more request after listening has stopped.
 * Closing them at once would break a request that a proxy has just forwarded.
 */
const LAST_REQUESTS_MS: Millis = 250;
const POLL_MS: Millis = 10;

/** Whether a server is shutting down. */
export interface Shutdown {
  hasBegun: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly shutdown: Shutdown;
  }
}

/**
 * Shuts a server down without breaking connections in use. Once `shutdown` has begun, each response
 * is the last of its connection (`Connection: close`). Closing stops listening first, so that new
 * clients are refused and can go elsewhere, and waits for the last requests of open connections
 * before it closes idle ones.
 */
export function shutDownGracefully(app: FastifyInstance, shutdown: Shutdown): void {
  app.decorate('shutdown', shutdown);
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (shutdown.hasBegun) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    shutdown.hasBegun = true;
    const { server } = app;
    if (!server.listening) return;
    // The HTTP server's `close` would close idle connections too.
    Server.prototype.close.call(server);
    const openConnections = promisify(server.getConnections.bind(server));
    const untilMs = performance.now() + LAST_REQUESTS_MS;
    while ((await openConnections()) > 0 && performance.now() < untilMs) await pause(POLL_MS);
  });
}
