import { hash, randomBytes, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { HashedKey, KeyHash } from './accounts.ts';

const PREFIX = 'ta_live_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = PREFIX.length + 4;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Creates a key: `ta_live_`, 32 random base-62 characters (190 bits), and their checksum. */
export function mintApiKey(random: (bytes: number) => Uint8Array = randomBytes): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    // Bytes past the last multiple of 62 are discarded: taking them modulo 62 would favour some
    // characters.
    for (const byte of random(SECRET_LENGTH)) {
      if (byte < 248 && secret.length < SECRET_LENGTH) secret += ALPHABET[byte % 62];
    }
  }
  return PREFIX + secret + checksum(secret);
}

export function newKey(label: string, createdAtMs: number): { plainKey: string; key: HashedKey } {
  const plainKey = mintApiKey();
  const key = {
    hash: hashApiKey(plainKey),
    id: randomUUID(),
    prefix: apiKeyPrefix(plainKey),
    label,
    createdAtMs,
    lastUsedAtMs: null,
    disabled: false,
    revokedAtMs: null,
  };
  return { plainKey, key };
}

/** Whether a text has the form and checksum of a key: detects a mistyped one without a look-up. */
export function isWellFormedApiKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secret = text.slice(PREFIX.length, PREFIX.length + SECRET_LENGTH);
  return text.endsWith(checksum(secret));
}

/**
 * Hashes a key for storage; keys are stored in no other form. A key has 190 bits of entropy, so a
 * plain hash is enough.
 */
export function hashApiKey(key: string): KeyHash {
  return hash('sha256', key, 'base64url');
}

export function apiKeyPrefix(key: string): string {
  return key.slice(0, SHOWN_LENGTH);
}

/**
 * The secret's CRC-32 (ISO-HDLC) as six base-62 characters. Detects any single changed character
 * and any swap of two neighbours.
 */
function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
