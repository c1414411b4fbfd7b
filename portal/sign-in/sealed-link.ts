import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/**
 * HMAC-SHA-256 of some parts, base64url, under a secret. One part is the purpose, so that a hash
 * cannot be used for another.
 */
export function keyedHash(secret: string, purpose: string, ...parts: readonly string[]): string {
  const hmac = createHmac('sha256', secret);
  for (const part of [purpose, ...parts]) hmac.update(`${Buffer.byteLength(part)}:${part}`);
  return hmac.digest('base64url');
}

const SALT_BYTES = 32;
const TAG_BYTES = 16;
/** A key is used once, so its nonce need not differ. */
const NONCE = Buffer.alloc(12);

/**
 * The token of a sign-in link, base64url: 32 random bytes, unique, and the address encrypted with
 * AES-256-GCM under a key derived from them. The token locates the challenge and reveals the
 * address to no one else.
 */
export function sealLink(secret: string, email: string): string {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, salt), NONCE);
  const sealed = [cipher.update(email, 'utf8'), cipher.final()];
  return Buffer.concat([salt, cipher.getAuthTag(), ...sealed]).toString('base64url');
}

/** The address in a token and the secret it was sealed with; `undefined` for a foreign token. */
export function openLink(
  secrets: readonly string[],
  token: string,
): { readonly email: string; readonly secret: string } | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length <= SALT_BYTES + TAG_BYTES || bytes.toString('base64url') !== token) {
    return undefined;
  }
  const salt = bytes.subarray(0, SALT_BYTES);
  const tag = bytes.subarray(SALT_BYTES, SALT_BYTES + TAG_BYTES);
  const sealed = bytes.subarray(SALT_BYTES + TAG_BYTES);
  for (const secret of secrets) {
    const cipher = createDecipheriv('aes-256-gcm', keyOf(secret, salt), NONCE);
    cipher.setAuthTag(tag);
    try {
      const email = Buffer.concat([cipher.update(sealed), cipher.final()]).toString();
      return { email, secret };
    } catch {
      // Sealed with another secret, or forged.
    }
  }
  return undefined;
}

function keyOf(secret: string, salt: Uint8Array): Buffer {
  return createHmac('sha256', secret).update('sign-in link').update(salt).digest();
}
