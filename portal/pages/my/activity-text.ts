import type { Activity } from '../../responses.ts';
import { counted, dateOf } from '../formats.ts';

/** Describes the causes of grants for the account's owner. */
const CAUSES: readonly (readonly [cause: RegExp, words: string])[] = [
  [/^signup$/, 'for signing up'],
  [/^signup-withheld:/, 'for signing up, for now'],
  [/^session:/, 'for a token pack'],
  [/^invoice:/, 'for a month of membership'],
  [/^(refund|dispute):.*:undone$/, 'restored after a reversed refund or dispute'],
  [/^refund:/, 'for a refund'],
  [/^dispute:/, 'for a disputed payment'],
  [/^cli:/, ''],
];

/** Translates the ledger's detail of an entry for the account's owner. */
export function detailInWords(what: Activity['what'], detail: string): string {
  switch (what) {
    case 'tokens-granted':
    case 'tokens-taken-back':
      return tokensInWords(detail);
    case 'signed-in': {
      const [, client = detail, address = ''] = /^(.*)(, [^,]*)$/.exec(detail) ?? [];
      return deviceName(client) + address;
    }
    case 'session-ended':
      return deviceName(detail);
    case 'membership-changed':
      return detail.replace(/\d{4}-\S+Z$/, dateOf);
    default:
      return detail;
  }
}

/** Converts `5000, signup` to `5,000 tokens for signing up`. */
function tokensInWords(detail: string): string {
  const [, tokens, cause] = /^(\d+)(?: of \d+)?, (.*)$/.exec(detail) ?? [];
  if (cause === undefined) return detail;
  const words = CAUSES.find(([pattern]) => pattern.test(cause))?.[1] ?? `for ${cause}`;
  return `${counted(Number(tokens), 'token')} ${words}`;
}

const BROWSERS = [
  [/Firefox\//, 'Firefox'],
  [/Edg\//, 'Edge'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** Short name of a browser from its user agent; otherwise the user agent itself. */
export function deviceName(client: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(client))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(client))?.[1];
  return browser && system ? `${browser} on ${system}` : client || 'unknown';
}
