import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import { Problem } from './problem.ts';

const CIPHER = 'aes-256-ctr';
const KEY_BYTES = 32;
/** The tag also serves as the initial counter of the cipher. */
const TAG_BYTES = 16;

/**
 * Opaque page cursors: the position where the last page ended, encrypted, since a position contains
 * ids that are rows of the next page, and bound to its query. A cursor of another route or query,
 * or with any character changed, is rejected.
 *
 * The same position of the same query always gives the same cursor, since responses with the same
 * strong ETag must have the same bytes: encryption with a synthetic IV (the construction of RFC
 * 5297, with HMAC-SHA-256 in place of S2V).
 */
export class CursorSealer {
  readonly #secrets: () => readonly string[];
  readonly #scope: string;
  #derived: { readonly keys: readonly Keys[]; readonly sealer: string } | undefined;

  /** The first of `secrets` seals cursors; every one of them opens them. */
  constructor(secrets: () => readonly string[], scope = '') {
    this.#secrets = secrets;
    this.#scope = scope;
  }

  /** Cursors of queries that also differ from those of others by a scope. */
  within(scope: string): CursorSealer {
    if (scope === this.#scope) return this;
    const other = new CursorSealer(this.#secrets, scope);
    // Derived once for all scopes, since each request for another window has a sealer of its own.
    other.#derived = this.#derived;
    return other;
  }

  /** Identifies the sealing secret without revealing it: changes when cursors do. */
  get sealer(): string {
    return this.#fromSecrets().sealer;
  }

  /**
   * Seals a position of integers below 2⁵³. `query` is the canonical request without its cursor.
   */
  seal(query: string, position: readonly number[]): string {
    const plain = Buffer.alloc(position.length * 8);
    position.forEach((value, i) => {
      plain.writeBigUInt64BE(BigInt(value), i * 8);
    });
    const [keys] = this.#fromSecrets().keys;
    const tag = tagOf(keys, this.#scope + query, plain);
    const cipher = createCipheriv(CIPHER, keys.encryption, tag);
    return Buffer.concat([tag, cipher.update(plain), cipher.final()]).toString('base64url');
  }

  /** Returns the position of a cursor of this query, `length` integers. Throws `invalid-cursor`. */
  open(query: string, cursor: string, length: number): number[] {
    const bytes = Buffer.from(cursor, 'base64url');
    // The decoder skips characters outside base64url; only the exact cursor that was issued is
    // accepted.
    const isWhole =
      bytes.length === TAG_BYTES + length * 8 && bytes.toString('base64url') === cursor;
    const plain = isWhole && this.#decrypt(query, bytes);
    if (!plain) {
      throw new Problem(
        'invalid-cursor',
        'pass next_cursor unchanged, with the same parameters, or start again without cursor',
      );
    }
    return Array.from({ length }, (_, i) => Number(plain.readBigUInt64BE(i * 8)));
  }

  #fromSecrets() {
    if (this.#derived === undefined) {
      const keys = this.#secrets().map(keysOf);
      const sealer = tagOf(keys[0], 'sealer', Buffer.alloc(0)).toString('base64url');
      this.#derived = { keys, sealer };
    }
    return this.#derived;
  }

  #decrypt(query: string, bytes: Buffer): Buffer | null {
    const tag = bytes.subarray(0, TAG_BYTES);
    for (const keys of this.#fromSecrets().keys) {
      const plain = createDecipheriv(CIPHER, keys.encryption, tag).update(
        bytes.subarray(TAG_BYTES),
      );
      if (timingSafeEqual(tagOf(keys, this.#scope + query, plain), tag)) return plain;
    }
    return null;
  }
}

interface Keys {
  readonly authentication: Buffer;
  readonly encryption: Buffer;
}

function keysOf(secret: string): Keys {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'cursors', 2 * KEY_BYTES));
  return { authentication: bytes.subarray(0, KEY_BYTES), encryption: bytes.subarray(KEY_BYTES) };
}

function tagOf({ authentication }: Keys, query: string, plain: Buffer): Buffer {
  return createHmac('sha256', authentication)
    .update(query)
    .update('\0')
    .update(plain)
    .digest()
    .subarray(0, TAG_BYTES);
}
