import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { hasBody } from './body-arrival.ts';

/** Requests that a connection may have sent ahead of its answers; one with a body counts as many. */
const MAX_WAITING = 64;
const WITH_BODY = 16;
/** Connections of which one that is idle is ended for each that is new. */
const MOST_CONNECTIONS = 4_000;

/** The requests of a connection. */
interface Line {
  last: ServerResponse;
  waiting: number;
}

/**
 * Has the requests of a connection answered one after another, whatever it pipelines, each in a turn
 * of the event loop of its own. So a connection holds one answer at a time, takes its part of the
 * loop and no more, and a client that leaves has not been charged for what it would have got next.
 * One that sends too far ahead is ended; of very many, one that is idle; and when the server closes,
 * each after what it has asked for. It stands before the framework: what waits costs little.
 */
export function answerInOrder(app: FastifyInstance, mostConnections = MOST_CONNECTIONS): void {
  const { server } = app;
  const handlers = server.listeners('request') as RequestListener[];
  const lines = new Map<Socket, Line>();
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    for (const handle of handlers) handle.call(server, request, response);
  };
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    if (!socket.writable) return;
    const line = lines.get(socket);
    if (line === undefined) {
      if (lines.size >= mostConnections) endIdlest(lines);
      lines.set(socket, { last: response, waiting: 0 });
      socket.once('close', () => lines.delete(socket));
      return answer(request, response);
    }
    const before = line.last;
    line.last = response;
    // To the end of those that could be ended.
    lines.delete(socket);
    lines.set(socket, line);
    // An answer that waits behind another has no socket yet.
    if (response.socket !== null) return answer(request, response);
    const weight = hasBody(request) ? WITH_BODY : 1;
    line.waiting += weight;
    if (line.waiting > MAX_WAITING) {
      cutOff(socket);
      return;
    }
    before.once('close', () => {
      setImmediate(() => {
        line.waiting -= weight;
        if (socket.writable) answer(request, response);
      });
    });
  });
  // Else Node would wait on these for what might come next. What is begun later the framework ends.
  app.addHook('preClose', async () => {
    for (const [socket, line] of lines) {
      line.last.once('close', () => {
        if (line.waiting === 0) socket.end();
      });
    }
  });
}

/** Ends the connection that has asked for nothing for the longest time, if one waits for nothing. */
function endIdlest(lines: ReadonlyMap<Socket, Line>): void {
  for (const [socket, { last }] of lines) {
    if (!last.writableFinished || socket.destroyed) continue;
    socket.destroy();
    return;
  }
}

/**
 * Ends a connection with all that it has asked for. Node makes an error for each of its requests, and
 * with a stack that takes longer than all else: of thousands, a tenth of a second.
 */
function cutOff(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}
