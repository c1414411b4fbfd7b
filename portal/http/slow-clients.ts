import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import type { Bytes, Millis } from '../../shards/units.ts';

/**
 * Limits of a connection, as Fastify options. The head must arrive within ten seconds and the whole
 * request within thirty; a connection idle in both directions is closed.
 */
export const CONNECTION_LIMITS = {
  requestTimeout: 30_000,
  connectionTimeout: 30_000,
  keepAliveTimeout: 65_000,
  maxRequestsPerSocket: 0,
  http: {
    headersTimeout: 10_000,
    /** How often Node looks for those that are late: half a minute if it is not told. */
    connectionsCheckingInterval: 1_000,
    // Node would refuse such a request itself, without a problem document: `requireHost` does it.
    requireHostHeader: false,
  },
} as const satisfies Partial<FastifyHttpOptions<Server>>;

/** Each chunk costs time of its own. After this many, their mean size is checked. */
const FEW_PIECES = 1_000;
const MIN_PIECE: Bytes = 64;
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Memory for incomplete bodies. */
const MAX_ARRIVING: Bytes = 128 * 2 ** 20;
/** Bytes and time spent draining an oversized body before the refusal is sent. */
const MAX_READ_AWAY: Bytes = 8 * 2 ** 20;
const READ_AWAY_WITHIN: Millis = 10_000;

/**
 * Ends connections whose bodies come in crumbs, and, when more is kept of bodies that are on their way
 * than there is room for, that of the one which has been longest on its way.
 */
export function dropSlowBodies(app: FastifyInstance): void {
  endUnwantedCrumbs(app);
  /** Bytes received of each incomplete body, oldest first. */
  const arriving = new Map<Readable, Bytes>();
  let kept: Bytes = 0;
  const leave = (body: Readable) => {
    kept -= arriving.get(body) ?? 0;
    arriving.delete(body);
  };
  app.addHook('preParsing', ({ raw }, reply, body, done) => {
    // GET and HEAD bodies are not buffered; a client that disconnected while queued emits no second
    // close.
    const isKept = hasBody(raw) && !WITHOUT_BODY.has(raw.method!) && !body.destroyed;
    if (!isKept) return done(null, body);
    arriving.set(body, 0);
    endCrumbs(body);
    body.on('data', (piece: Buffer) => {
      const come = arriving.get(body);
      if (come === undefined) return;
      kept += piece.length;
      arriving.set(body, come + piece.length);
      if (kept > MAX_ARRIVING) arriving.keys().next().value?.destroy();
    });
    // Bytes after the response are ignored.
    body.once('end', () => leave(body));
    reply.raw.once('close', () => leave(body));
    done(null, body);
  });
  // Many clients look for an answer only when all is sent; of a connection that ended they see no more.
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (reply.statusCode !== 413 || raw.readableEnded || raw.destroyed) return done(null, payload);
    leave(raw);
    readAway(raw, (isWhole) => {
      if (isWhole) reply.removeHeader('connection');
      done(null, payload);
    });
  });
}

/** Drains the rest of a body if it is short, and reports whether all of it arrived. */
function readAway(body: IncomingMessage, then: (isWhole: boolean) => void): void {
  let left = MAX_READ_AWAY;
  if (Number(body.headers['content-length'] ?? 0) > left) {
    then(false);
    return;
  }
  const end = () => {
    clearTimeout(timer);
    body.off('data', take).off('end', end).off('close', end);
    then(body.readableEnded);
  };
  const take = (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) end();
  };
  const timer = setTimeout(end, READ_AWAY_WITHIN);
  body.on('data', take).once('end', end).once('close', end);
}

/** Whether a body comes with a request, by its head. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Node reads away what is still to come when a request has been answered, and looks at none of it. */
function endUnwantedCrumbs({ server }: FastifyInstance): void {
  server.on('request', (request, response) => {
    if (!hasBody(request)) return;
    // Runs before Node's own listener, which leaves streams with a reader alone.
    response.prependListener('finish', () => {
      if (request.complete || request.readableFlowing !== null) return;
      endCrumbs(request);
      request.read(0);
    });
  });
}

/** Reads a body, and ends its connection if it comes in crumbs. */
function endCrumbs(body: Readable): void {
  let pieces = 0;
  let bytes: Bytes = 0;
  body.on('data', (piece: Buffer) => {
    pieces++;
    bytes += piece.length;
    if (pieces > FEW_PIECES && bytes < pieces * MIN_PIECE) body.destroy();
  });
}

/** Requests that a connection may have sent ahead of its answers; one with a body counts as many. */
const MAX_WAITING = 64;
const WITH_BODY = 16;
/** Connections of which one that is idle is ended for each that is new. */
const MAX_CONNECTIONS = 4_000;

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
export function respondInOrder(app: FastifyInstance, maxConnections = MAX_CONNECTIONS): void {
  const { server } = app;
  const handlers = server.listeners('request') as RequestListener[];
  const lines = new Map<Socket, Line>();
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    for (const handle of handlers) handle.call(server, request, response);
  };
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    if (!socket.writable) return;
    const line = lines.get(socket);
    if (line === undefined) {
      if (lines.size >= maxConnections) endIdlest(lines);
      lines.set(socket, { last: response, waiting: 0 });
      socket.once('close', () => lines.delete(socket));
      return respond(request, response);
    }
    const before = line.last;
    line.last = response;
    // To the end of those that could be ended.
    lines.delete(socket);
    lines.set(socket, line);
    // An answer that waits behind another has no socket yet.
    if (response.socket !== null) return respond(request, response);
    const weight = hasBody(request) ? WITH_BODY : 1;
    line.waiting += weight;
    if (line.waiting > MAX_WAITING) {
      cutOff(socket);
      return;
    }
    before.once('close', () => {
      setImmediate(() => {
        line.waiting -= weight;
        if (socket.writable) respond(request, response);
      });
    });
  });
  // Node would otherwise keep these connections open. Requests started later are ended by the
  // framework.
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
