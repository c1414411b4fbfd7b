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
    /** How often Node checks for timeouts; its default is half a minute. */
    connectionsCheckingInterval: 1_000,
    // Node would reject such a request itself, without a problem document: `requireHost` does it.
    requireHostHeader: false,
  },
} as const satisfies Partial<FastifyHttpOptions<Server>>;

/** Number of chunks after which their mean size is checked, since each chunk has a cost. */
const FEW_PIECES = 1_000;
const MIN_PIECE: Bytes = 64;
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Maximum memory for incomplete bodies. */
const MAX_ARRIVING: Bytes = 128 * 2 ** 20;
/** Maximum bytes and time spent draining an oversized body before the refusal is sent. */
const MAX_READ_AWAY: Bytes = 8 * 2 ** 20;
const READ_AWAY_WITHIN: Millis = 10_000;

/**
 * Closes connections whose bodies arrive in tiny pieces; and, when incomplete bodies exceed the
 * memory limit, the connection of the oldest one.
 */
export function dropSlowBodies(app: FastifyInstance): void {
  dropTinyChunksAfterResponse(app);
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
    dropTinyChunks(body);
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
  // Many clients read the response only after sending everything; if the connection is closed
  // first, they never see it.
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

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Closes connections whose bodies arrive in tiny pieces after a response: Node drains the rest of
 * the request without checking it.
 */
function dropTinyChunksAfterResponse({ server }: FastifyInstance): void {
  server.on('request', (request, response) => {
    if (!hasBody(request)) return;
    // Runs before Node's own listener, which skips streams that have a reader.
    response.prependListener('finish', () => {
      if (request.complete || request.readableFlowing !== null) return;
      dropTinyChunks(request);
      request.read(0);
    });
  });
}

/** Drains a body, and closes its connection if it arrives in tiny pieces. */
function dropTinyChunks(body: Readable): void {
  let pieces = 0;
  let bytes: Bytes = 0;
  body.on('data', (piece: Buffer) => {
    pieces++;
    bytes += piece.length;
    if (pieces > FEW_PIECES && bytes < pieces * MIN_PIECE) body.destroy();
  });
}

/**
 * Maximum number of requests that a connection may send ahead of its responses; one with a body
 * counts as several.
 */
const MAX_WAITING = 64;
const WITH_BODY = 16;
const MAX_CONNECTIONS = 4_000;

interface Line {
  /** Latest response; null before the first request. */
  last: ServerResponse | null;
  waiting: number;
}

/**
 * Serves the requests of a connection one after another, even if pipelined, each in its own turn of
 * the event loop. A connection therefore holds one response at a time and takes no more than its
 * share of the loop, and a client that disconnects has not been charged for its next responses. A
 * connection that pipelines too far ahead is closed. At the maximum number of connections, each new
 * connection closes the one idle longest, or is closed itself if none is idle. On shutdown, each
 * connection is closed after its pending requests. This runs before the framework, so waiting
 * requests are cheap.
 */
export function respondInOrder(app: FastifyInstance, maxConnections = MAX_CONNECTIONS): void {
  const { server } = app;
  const handlers = server.listeners('request') as RequestListener[];
  const lines = new Map<Socket, Line>();
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    for (const handle of handlers) handle.call(server, request, response);
  };
  server.removeAllListeners('request');
  server.on('connection', (socket: Socket) => {
    if (lines.size >= maxConnections && !endIdlest(lines)) {
      socket.destroy();
      return;
    }
    lines.set(socket, { last: null, waiting: 0 });
    socket.once('close', () => lines.delete(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined || !socket.writable) return;
    const before = line.last;
    line.last = response;
    // Moves the connection to the end of the eviction order.
    lines.delete(socket);
    lines.set(socket, line);
    // A response waiting behind another has no socket yet.
    if (before === null || response.socket !== null) return respond(request, response);
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
      line.last?.once('close', () => {
        if (line.waiting === 0) socket.end();
      });
    }
  });
}

/** Closes the connection that has been idle longest; returns whether there is any. */
function endIdlest(lines: Map<Socket, Line>): boolean {
  for (const [socket, { last }] of lines) {
    if (last !== null && !last.writableFinished) continue;
    // Its `close` event comes later.
    lines.delete(socket);
    socket.destroy();
    return true;
  }
  return false;
}

/**
 * Destroys a connection with all its requests. Node creates an error for each of them, and its
 * stack trace takes longer than everything else: for thousands, a tenth of a second.
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
