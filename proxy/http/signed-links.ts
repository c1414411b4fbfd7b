import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Seconds } from '../../shards/units.ts';

/**
 * Signs addresses that work without a key until a moment, with HMAC-SHA-256. A link contains
 * nothing of the account that requested it.
 */
export class LinkSigner {
  readonly #secrets: () => readonly string[];

  /** `secrets`: the first signs, all of them verify. */
  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  /** `expires`: seconds since 1970. */
  sign(path: string, expires: Seconds): string {
    return signatureOf(this.#secrets()[0], path, expires);
  }

  isSigned(path: string, expires: Seconds, signature: string): boolean {
    const given = Buffer.from(signature);
    return this.#secrets().some((secret) => {
      const right = Buffer.from(signatureOf(secret, path, expires));
      return given.length === right.length && timingSafeEqual(given, right);
    });
  }
}

function signatureOf(secret: string, path: string, expires: Seconds): string {
  return createHmac('sha256', secret).update(`${path}\n${expires}`).digest('base64url');
}
