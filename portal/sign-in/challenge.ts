import { randomInt } from 'node:crypto';
import { mailboxOf } from '../accounts/mailbox.ts';
import { CHALLENGE_MINUTES, type Challenge, type SignIns } from '../accounts/sign-ins.ts';
import { keyedHash, openLink, sealLink } from './sealed-link.ts';

const CODES = 1_000_000;

/** The secrets mailed to an address. */
export interface MailedSecrets {
  /** Six digits. */
  readonly code: string;
  readonly linkToken: string;
}

/**
 * Creates a challenge for an address: the secrets to mail, and the hashes to store, which open
 * nothing. `browser`: the known browser that requests it, if it is one.
 */
export function newChallenge(
  secret: string,
  email: string,
  nowMs: number,
  browser?: string,
): { readonly mailed: MailedSecrets; readonly mailbox: string; readonly challenge: Challenge } {
  const code = String(randomInt(CODES)).padStart(6, '0');
  const linkToken = sealLink(secret, email, browser);
  const mailbox = mailboxHash(secret, email, browser);
  const challenge: Challenge = {
    startedAtMs: nowMs,
    codeHash: keyedHash(secret, 'code', mailbox, code),
    linkHash: keyedHash(secret, 'link', linkToken),
    endsAtMs: nowMs + CHALLENGE_MINUTES * 60_000,
  };
  return { mailed: { code, linkToken }, mailbox, challenge };
}

/**
 * Whether this is the code mailed to an address, at the request of a known browser if one is given;
 * a correct one is accepted once.
 */
export async function answerWithCode(
  signIns: SignIns,
  secrets: readonly string[],
  { email, code }: { readonly email: string; readonly code: string },
  nowMs: number,
  browser?: string,
): Promise<boolean> {
  for (const secret of secrets) {
    const mailbox = mailboxHash(secret, email, browser);
    const codeHash = keyedHash(secret, 'code', mailbox, code);
    if (await signIns.answerChallenge(mailbox, { codeHash }, nowMs)) return true;
  }
  return false;
}

/** Returns the address that a link was mailed to, if the link is valid; a link is accepted once. */
export async function answerWithLink(
  signIns: SignIns,
  secrets: readonly string[],
  linkToken: string,
  nowMs: number,
): Promise<string | undefined> {
  const link = openLink(secrets, linkToken);
  if (!link) return undefined;
  const { email, browser, secret } = link;
  const linkHash = keyedHash(secret, 'link', linkToken);
  const mailbox = mailboxHash(secret, email, browser);
  return (await signIns.answerChallenge(mailbox, { linkHash }, nowMs)) ? email : undefined;
}

/**
 * Pseudonym of a mailbox in shared storage: the same for all spellings of its address. A known
 * browser has one of its own, so that its codes and limits are out of the reach of strangers.
 */
export function mailboxHash(secret: string, email: string, browser?: string): string {
  const parts = browser === undefined ? [] : [browser];
  return keyedHash(secret, 'mailbox', mailboxOf(email), ...parts);
}
