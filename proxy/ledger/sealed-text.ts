import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** The use of a sealed text: one sealed for another use does not open. */
type Purpose = 'sign-in link' | 'browser token';

const SALT_BYTES = 32;
const TAG_BYTES = 16;
/** A key is used once, so its nonce need not differ. */
const NONCE = Buffer.alloc(12);

/**
 * Seals a text, base64url: 32 random bytes, and the text encrypted with AES-256-GCM under a key
 * derived from them and the secret. Only holders of the secret can read or make it.
 */
export function sealText(secret: string, purpose: Purpose, text: string): string {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, purpose, salt), NONCE);
  const sealed = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([salt, cipher.getAuthTag(), ...sealed]).toString('base64url');
}

/**
 * Opens a sealed text; also returns the secret it was sealed with. Returns `undefined` for a
 * foreign or altered one.
 */
export function openText(
  secrets: readonly string[],
  purpose: Purpose,
  sealed: string,
): { readonly text: string; readonly secret: string } | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length <= SALT_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) {
    return undefined;
  }
  const salt = bytes.subarray(0, SALT_BYTES);
  const tag = bytes.subarray(SALT_BYTES, SALT_BYTES + TAG_BYTES);
  const encrypted = bytes.subarray(SALT_BYTES + TAG_BYTES);
  for (const secret of secrets) {
    const cipher = createDecipheriv('aes-256-gcm', keyOf(secret, purpose, salt), NONCE);
    cipher.setAuthTag(tag);
    try {
      const text = Buffer.concat([cipher.update(encrypted), cipher.final()]).toString();
      return { text, secret };
    } catch {
      // Sealed with another secret, or altered.
    }
  }
  return undefined;
}

function keyOf(secret: string, purpose: Purpose, salt: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(purpose).update(salt).digest();
}
