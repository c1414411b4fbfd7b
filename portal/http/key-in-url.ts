import type { FastifyInstance } from 'fastify';
import { Problem } from './problem.ts';

/** How every key begins. */
const KEY = /ta_live_/i;
/** How often a URL may have been encoded on its way: each client and proxy may do it once. */
const MOST_ENCODINGS = 3;

/** Refuses every URL with a key in it, before anything else looks at it or writes it down. */
export function refuseKeysInUrls(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => done(keyInUrl(request.originalUrl)));
}

function keyInUrl(url: string): Problem | undefined {
  if (!holdsKey(url)) return undefined;
  return new Problem(
    'key-in-url',
    'an API key stands in the URL, where histories and logs keep it: send it in the header "Authorization: Bearer", and revoke this one',
  );
}

/** Whether a key stands in a URL, also where what need not be encoded is. */
function holdsKey(url: string): boolean {
  let text = url;
  for (let decoded = 0; !KEY.test(text); decoded++) {
    if (decoded === MOST_ENCODINGS || !text.includes('%')) return false;
    text = text.replaceAll(/%([0-7][\da-f])/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return true;
}
