import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Bytes } from '../../shards/units.ts';

/** Each piece of a body costs time of its own. After so many, it is looked at what they bring on average. */
const FEW_PIECES = 1_000;
const LEAST_PIECE: Bytes = 64;
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** What may be kept of bodies that have not all come. */
const MOST_ARRIVING: Bytes = 128 * 2 ** 20;

/**
 * Ends connections whose bodies come in crumbs, and, when more is kept of bodies that are on their way
 * than there is room for, that of the one which has been longest on its way.
 */
export function watchBodies(app: FastifyInstance): void {
  /** Of each body on its way, the eldest first, what has come. */
  const arriving = new Map<Readable, Bytes>();
  let kept: Bytes = 0;
  const leave = (body: Readable) => {
    kept -= arriving.get(body) ?? 0;
    arriving.delete(body);
  };
  app.addHook('preParsing', ({ raw: { method, headers } }, reply, body, done) => {
    const length = headers['transfer-encoding'] ?? headers['content-length'];
    // Of these nothing is kept; and who has left while the request waited is not seen to leave again.
    if (length === undefined || WITHOUT_BODY.has(method!) || body.destroyed)
      return done(null, body);
    let pieces = 0;
    arriving.set(body, 0);
    body.on('data', (piece: Buffer) => {
      const come = arriving.get(body);
      if (come === undefined) return;
      kept += piece.length;
      arriving.set(body, come + piece.length);
      pieces++;
      if (pieces > FEW_PIECES && come < pieces * LEAST_PIECE) body.destroy();
      if (kept > MOST_ARRIVING) arriving.keys().next().value?.destroy();
    });
    // What comes after the answer is nobody's.
    body.once('end', () => leave(body));
    reply.raw.once('close', () => leave(body));
    done(null, body);
  });
}
