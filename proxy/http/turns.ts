import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Begins a request that came behind another on its connection only when that one has been answered.
 * So a connection holds one answer at a time, whatever it pipelines; and a client that leaves has
 * not been charged for what it would have got next.
 */
export function takeTurns(app: FastifyInstance): void {
  const last = new WeakMap<Socket, ServerResponse>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const { raw } = reply;
    const before = last.get(socket);
    last.set(socket, raw);
    // An answer that waits behind another has no socket yet.
    if (before === undefined || raw.socket !== null) return done();
    before.once('close', () => {
      if (socket.destroyed) reply.hijack();
      else done();
    });
  });
}
