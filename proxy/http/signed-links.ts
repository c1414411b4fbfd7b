import { createHmac } from 'node:crypto';
import type { EpochSeconds } from '../../shards/units.ts';
import { isEqualHash } from '../ledger/equal-hash.ts';

/**
 * Signs addresses that work without a key until they expire, with HMAC-SHA-256. A link contains
 * nothing about the account that requested it.
 */
export class LinkSigner {
  readonly #secrets: () => readonly string[];

  /** The first of `secrets` signs; every one of them verifies. */
  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  sign(path: string, expires: EpochSeconds): string {
    return signatureOf(this.#secrets()[0], path, expires);
  }

  isSigned(path: string, expires: EpochSeconds, signature: string): boolean {
    return this.#secrets().some((secret) =>
      isEqualHash(signature, signatureOf(secret, path, expires)),
    );
  }
}

function signatureOf(secret: string, path: string, expires: EpochSeconds): string {
  return createHmac('sha256', secret).update(`${path}\n${expires}`).digest('base64url');
}
