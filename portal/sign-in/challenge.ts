import { randomInt } from 'node:crypto';
import { mailboxOf } from '../../proxy/ledger/mailbox.ts';
import {
  CHALLENGE_MINUTES,
  type Challenge,
  type ChallengeOutcome,
  type SignIns,
} from '../../proxy/ledger/sign-ins.ts';
import { CODE_DIGITS, LONG_CODE_DIGITS, LONG_CODE_START } from './code-digits.ts';
import { keyedHash, openLink, sealLink } from './sealed-link.ts';

export interface MailedSecrets {
  /** As many digits as `digitsOfCode` says. */
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
  isLong: boolean,
  browser?: string,
): { readonly mailed: MailedSecrets; readonly mailbox: string; readonly challenge: Challenge } {
  const code = isLong ? longCode() : shortCode();
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

/** Any number of `CODE_DIGITS` that does not begin like a long code. */
function shortCode(): string {
  const first = Number(LONG_CODE_START.padEnd(CODE_DIGITS, '0'));
  return String(randomInt(first)).padStart(CODE_DIGITS, '0');
}

function longCode(): string {
  const rest = LONG_CODE_DIGITS - LONG_CODE_START.length;
  return LONG_CODE_START + String(randomInt(10 ** rest)).padStart(rest, '0');
}

/**
 * Checks the code mailed to an address, at the request of a known browser if one is given; a
 * correct one is accepted once.
 */
export async function answerWithCode(
  signIns: SignIns,
  secrets: readonly string[],
  { email, code }: { readonly email: string; readonly code: string },
  nowMs: number,
  browser?: string,
): Promise<ChallengeOutcome> {
  let outcome: ChallengeOutcome = 'none';
  for (const secret of secrets) {
    const mailbox = mailboxHash(secret, email, browser);
    const codeHash = keyedHash(secret, 'code', mailbox, code);
    const answered = await signIns.answerChallenge(mailbox, { codeHash }, nowMs);
    if (answered === 'right') return answered;
    if (answered === 'wrong') outcome = answered;
  }
  return outcome;
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
  const outcome = await signIns.answerChallenge(mailbox, { linkHash }, nowMs);
  return outcome === 'right' ? email : undefined;
}

/**
 * Pseudonym of a mailbox in shared storage: the same for all spellings of its address. A known
 * browser has one of its own, so that its codes and limits are out of the reach of strangers.
 */
export function mailboxHash(secret: string, email: string, browser?: string): string {
  const parts = browser === undefined ? [] : [browser];
  return keyedHash(secret, 'mailbox', mailboxOf(email), ...parts);
}
