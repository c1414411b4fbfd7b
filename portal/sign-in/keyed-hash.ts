import { createHmac } from 'node:crypto';

/**
 * HMAC-SHA-256 of some parts, base64url, under a secret. What it is for is one of its parts, so that
 * no hash can stand for another.
 */
export function keyedHash(secret: string, purpose: string, ...parts: readonly string[]): string {
  const hmac = createHmac('sha256', secret);
  for (const part of [purpose, ...parts]) hmac.update(`${Buffer.byteLength(part)}:${part}`);
  return hmac.digest('base64url');
}
