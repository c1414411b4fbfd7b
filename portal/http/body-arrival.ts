import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Bytes, Millis } from '../../shards/units.ts';

/** Each piece of a body costs time of its own. After so many, it is looked at what they bring on average. */
const FEW_PIECES = 1_000;
const LEAST_PIECE: Bytes = 64;
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** What may be kept of bodies that have not all come. */
const MOST_ARRIVING: Bytes = 128 * 2 ** 20;
/** What is read away of a body that is too large, and for how long, before the refusal is sent. */
const MOST_READ_AWAY: Bytes = 8 * 2 ** 20;
const READ_AWAY_WITHIN: Millis = 10_000;

/**
 * Ends connections whose bodies come in crumbs, and, when more is kept of bodies that are on their way
 * than there is room for, that of the one which has been longest on its way.
 */
export function watchBodies(app: FastifyInstance): void {
  endUnwantedCrumbs(app);
  /** Of each body on its way, the eldest first, what has come. */
  const arriving = new Map<Readable, Bytes>();
  let kept: Bytes = 0;
  const leave = (body: Readable) => {
    kept -= arriving.get(body) ?? 0;
    arriving.delete(body);
  };
  app.addHook('preParsing', ({ raw }, reply, body, done) => {
    // Of some nothing is kept; and who has left while the request waited is not seen to leave again.
    const isKept = hasBody(raw) && !WITHOUT_BODY.has(raw.method!) && !body.destroyed;
    if (!isKept) return done(null, body);
    arriving.set(body, 0);
    endCrumbs(body);
    body.on('data', (piece: Buffer) => {
      const come = arriving.get(body);
      if (come === undefined) return;
      kept += piece.length;
      arriving.set(body, come + piece.length);
      if (kept > MOST_ARRIVING) arriving.keys().next().value?.destroy();
    });
    // What comes after the answer is nobody's.
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

/** Reads what is still to come of a body, if that is not much, and tells whether all has come. */
function readAway(body: IncomingMessage, then: (isWhole: boolean) => void): void {
  let left = MOST_READ_AWAY;
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
    // Before Node's own listener, which leaves alone what somebody reads.
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
    if (pieces > FEW_PIECES && bytes < pieces * LEAST_PIECE) body.destroy();
  });
}
