import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA-256 of some parts, base64url, under a secret. One part is the purpose, so that a hash
 * cannot be used for another.
 */
export function keyedHash(secret: string, purpose: string, ...parts: readonly string[]): string {
  const hmac = createHmac('sha256', secret);
  for (const part of [purpose, ...parts]) hmac.update(`${Buffer.byteLength(part)}:${part}`);
  return hmac.digest('base64url');
}
