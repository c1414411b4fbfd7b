import { Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Millis } from '../../shards/units.ts';

/**
 * Grace period in which open connections may send one more request after listening has ended.
 * Closing them at once would break a request that a proxy has just forwarded.
 */
const LAST_REQUESTS_MS: Millis = 250;
const POLL_MS: Millis = 10;

/** Whether a server has been told to end. */
export interface Shutdown {
  isSet: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly ending: Shutdown;
  }
}

/**
 * Has a server end without breaking a connection that is in use. From `ending` on each response is the
 * last of its connection (`Connection: close`). Closing stops listening first, so that who comes later
 * is refused and can go elsewhere, and waits for the last requests of open connections before it
 * closes those that are idle.
 */
export function shutDownGracefully(app: FastifyInstance, ending: Shutdown): void {
  app.decorate('ending', ending);
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (ending.isSet) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    ending.isSet = true;
    const { server } = app;
    if (!server.listening) return;
    // The HTTP server's `close` would close idle connections too.
    Server.prototype.close.call(server);
    const openConnections = promisify(server.getConnections.bind(server));
    const untilMs = performance.now() + LAST_REQUESTS_MS;
    while ((await openConnections()) > 0 && performance.now() < untilMs) await pause(POLL_MS);
  });
}
