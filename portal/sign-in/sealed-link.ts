import { createHmac } from 'node:crypto';
import { openText, sealText } from '../../proxy/ledger/sealed-text.ts';

/**
 * HMAC-SHA-256 of some parts, base64url, under a secret. One part is the purpose, so that a hash
 * cannot be used for another purpose.
 */
export function keyedHash(secret: string, purpose: string, ...parts: readonly string[]): string {
  const hmac = createHmac('sha256', secret);
  for (const part of [purpose, ...parts]) hmac.update(`${Buffer.byteLength(part)}:${part}`);
  return hmac.digest('base64url');
}

/**
 * The token of a sign-in link: the address, and the known browser that requested it, sealed. It
 * locates the challenge and reveals the address to no one else.
 */
export function sealLink(secret: string, email: string, browser?: string): string {
  const text = browser === undefined ? email : `${email} ${browser}`;
  return sealText(secret, 'sign-in link', text);
}

/** The contents of a token and the secret it was sealed with; `undefined` for a foreign token. */
export function openLink(
  secrets: readonly string[],
  token: string,
):
  | { readonly email: string; readonly browser: string | undefined; readonly secret: string }
  | undefined {
  const opened = openText(secrets, 'sign-in link', token);
  if (opened === undefined) return undefined;
  const [email, browser] = opened.text.split(' ');
  return { email, browser, secret: opened.secret };
}
