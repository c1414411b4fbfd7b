import type { AccountId } from './accounts.ts';
import { openText, sealText } from './sealed-text.ts';

/**
 * A short-lived credential for the pages of one origin. It acts for an account as a key does, for
 * as long as the session that requested it lasts. It is sealed, not stored: all processes on a
 * ledger share the secret, and admission looks up the session.
 */
export interface BrowserToken {
  readonly account: AccountId;
  readonly session: string;
  /** Origin of the pages, such as `https://www.example.org`. */
  readonly origin: string;
  readonly endsAtMs: number;
}

export const BROWSER_TOKEN_SECRET = 'browser-tokens';
/** The key id under which the usage of an account's browser tokens is counted. */
export const BROWSER_TOKEN_KEY_ID = 'browser-token';

const PREFIX = 'tb_live_';

export function isBrowserToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

export function sealBrowserToken([secret]: readonly string[], token: BrowserToken): string {
  const { account, session, origin, endsAtMs } = token;
  const text = JSON.stringify([account, session, origin, endsAtMs]);
  return PREFIX + sealText(secret, 'browser token', text);
}

/** Opens a sealed token; returns `undefined` for a forged or altered one. */
export function openBrowserToken(
  secrets: readonly string[],
  token: string,
): BrowserToken | undefined {
  const opened = openText(secrets, 'browser token', token.slice(PREFIX.length));
  if (opened === undefined) return undefined;
  const [account, session, origin, endsAtMs] = JSON.parse(opened.text);
  return { account, session, origin, endsAtMs };
}
