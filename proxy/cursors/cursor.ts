import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../http/problem.ts';

const MAC_BYTES = 16;

/**
 * Opaque page cursors: where the last page ended, and an HMAC-SHA-256 over that and the query it
 * belongs to. A cursor of another route or query, or with any character changed, is refused.
 */
export class CursorSigner {
  readonly #secrets: readonly string[];
  /** Names the secret that signs, without telling it: changes when cursors do. */
  readonly signer: string;

  /** The first secret signs; all of them verify. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
    this.signer = mac(secrets[0], 'signer', Buffer.alloc(0)).toString('base64url');
  }

  /** `query`: the canonical request without its cursor. `position`: integers below 2⁵³. */
  sign(query: string, position: readonly number[]): string {
    const payload = Buffer.alloc(position.length * 8);
    position.forEach((value, i) => {
      payload.writeBigUInt64BE(BigInt(value), i * 8);
    });
    return Buffer.concat([payload, mac(this.#secrets[0], query, payload)]).toString('base64url');
  }

  /** The position of a cursor of this query, `length` integers. Throws `invalid-cursor`. */
  verify(query: string, cursor: string, length: number): number[] {
    const bytes = Buffer.from(cursor, 'base64url');
    const payload = bytes.subarray(0, length * 8);
    const given = bytes.subarray(length * 8);
    // The decoder skips what is no base64url; only the one spelling that was given out counts.
    const isWhole = given.length === MAC_BYTES && bytes.toString('base64url') === cursor;
    const isSigned =
      isWhole &&
      this.#secrets.some((secret) => timingSafeEqual(mac(secret, query, payload), given));
    if (!isSigned) {
      throw new Problem(
        'invalid-cursor',
        'pass next_cursor as it was given, with the same parameters; or begin again without cursor',
      );
    }
    return Array.from({ length }, (_, i) => Number(payload.readBigUInt64BE(i * 8)));
  }
}

function mac(secret: string, query: string, payload: Buffer): Buffer {
  return createHmac('sha256', secret)
    .update(query)
    .update('\0')
    .update(payload)
    .digest()
    .subarray(0, MAC_BYTES);
}
