import { networkOf } from '../../proxy/http/rate-limiting.ts';
import { CHALLENGE_MINUTES, type SignIns } from '../../proxy/ledger/sign-ins.ts';

const DAY_SECONDS = 24 * 60 * 60;

/**
 * Limits of mails, and of wrong codes. A code of six digits is one of 990,000, so all strangers
 * together guess one of the service in as many tries, which take 10.8 years. A network (/24 in
 * IPv4, /48 in IPv6) has a tenth of their tries, and of those at one mailbox, and less than half of
 * the mails to it. While a client's tries are used up, by itself or by others, it is mailed long
 * codes, which are one of ten billion: all tries at them take 10.9 years, and only 2,500 networks
 * can use them up. No number of wrong codes ends a challenge. So strangers make codes longer, and
 * refuse them only to their own network. They can, from two networks, use up three quarters of the
 * mails of a day to a mailbox; the others are for networks in which its owner is signed in. Known
 * browsers have mails and tries of their own (`known-browser.ts`), and links of mails that arrived
 * need no try.
 */
export const LIMITS = {
  /** Codes sent on behalf of one client; a school or an office may share an address. */
  'sent for client': { limit: 30, windowSeconds: 10 * 60 },
  /**
   * Codes sent to one mailbox. The pause is no longer than the validity of the last code, which was
   * sent within the window.
   */
  'sent to mailbox': { limit: 5, windowSeconds: CHALLENGE_MINUTES * 60 },
  'sent to mailbox for network': { limit: 15, windowSeconds: DAY_SECONDS },
  'sent to mailbox for strangers': { limit: 30, windowSeconds: DAY_SECONDS },
  'sent to mailbox in a day': { limit: 40, windowSeconds: DAY_SECONDS },
  'tried at mailbox by network': { limit: 10, windowSeconds: DAY_SECONDS },
  'tried at mailbox': { limit: 100, windowSeconds: DAY_SECONDS },
  'tried by network': { limit: 25, windowSeconds: DAY_SECONDS },
  'tried by all': { limit: 250, windowSeconds: DAY_SECONDS },
  'long tried by network': { limit: 1_000, windowSeconds: DAY_SECONDS },
  'long tried by all': { limit: 2_500_000, windowSeconds: DAY_SECONDS },
} as const;

type Limit = readonly [what: keyof typeof LIMITS, whose: string];

/** A client that requests or tries a code of a mailbox. */
interface AtMailbox {
  readonly ip: string;
  /** `mailboxHash` of the mailbox, or of the mailbox and the known browser. */
  readonly mailbox: string;
  readonly isKnownBrowser?: boolean;
  /** Whether the owner is signed in from the client's network. */
  readonly isKnownNetwork?: boolean;
}

/** Takes one of a limit; if none is left, returns how many seconds to wait. */
export async function takeOne(
  signIns: SignIns,
  what: keyof typeof LIMITS,
  whose: string,
  nowMs: number,
): Promise<Wait | null> {
  const { allowed, rate } = await signIns.takeLimited(`${what} ${whose}`, LIMITS[what], nowMs);
  return allowed ? null : { waitSeconds: rate.resetSeconds };
}

/** Takes one mail to a mailbox; if none is left, returns how many seconds to wait. */
export function takeMailTo(
  signIns: SignIns,
  { ip, mailbox, isKnownBrowser, isKnownNetwork }: AtMailbox,
  nowMs: number,
): Promise<Wait | null> {
  const limits: Limit[] = [
    ['sent to mailbox', mailbox],
    ['sent to mailbox in a day', mailbox],
  ];
  if (!isKnownBrowser) {
    // The limits of others are taken last, so that a stranger who is refused holds none of them.
    if (!isKnownNetwork) limits.unshift(['sent to mailbox for strangers', mailbox]);
    limits.unshift(['sent to mailbox for network', `${mailbox} ${networkOf(ip)}`]);
  }
  return takeAll(signIns, limits, nowMs);
}

/**
 * Takes one try at a code, before it is looked at, so that concurrent tries are not more; if none
 * is left, returns how many seconds to wait.
 */
export function takeTry(
  signIns: SignIns,
  client: AtMailbox,
  isLong: boolean,
  nowMs: number,
): Promise<Wait | null> {
  return takeAll(signIns, limitsOfTry(client, isLong), nowMs);
}

/** Returns a try that guessed at nothing, since the code was right or nothing was open. */
export async function returnTry(
  signIns: SignIns,
  client: AtMailbox,
  isLong: boolean,
  outcome: 'right' | 'none',
): Promise<void> {
  const limits = limitsOfTry(client, isLong);
  // A client uses up its network's tries even so, as the ledger is asked for it.
  await returnAll(
    signIns,
    outcome === 'right' ? limits : limits.filter(([what]) => !what.endsWith('by network')),
  );
}

/** Whether a client has a try at a short code left; takes none. */
export async function hasTry(signIns: SignIns, client: AtMailbox, nowMs: number): Promise<boolean> {
  if ((await takeTry(signIns, client, false, nowMs)) !== null) return false;
  await returnAll(signIns, limitsOfTry(client, false));
  return true;
}

function limitsOfTry(
  { ip, mailbox, isKnownBrowser }: AtMailbox,
  isLong: boolean,
): readonly Limit[] {
  const network = networkOf(ip);
  if (isLong) {
    return [
      ['long tried by network', network],
      ['long tried by all', ''],
    ];
  }
  if (isKnownBrowser) return [['tried at mailbox', mailbox]];
  return [
    ['tried at mailbox by network', `${mailbox} ${network}`],
    ['tried at mailbox', mailbox],
    ['tried by network', network],
    ['tried by all', ''],
  ];
}

export interface Wait {
  readonly waitSeconds: number;
}

/** Takes one of each limit, or none if one of them is used up. */
async function takeAll(
  signIns: SignIns,
  limits: readonly Limit[],
  nowMs: number,
): Promise<Wait | null> {
  for (const [i, [what, whose]] of limits.entries()) {
    const refused = await takeOne(signIns, what, whose, nowMs);
    if (refused === null) continue;
    await returnAll(signIns, limits.slice(0, i));
    return refused;
  }
  return null;
}

async function returnAll(signIns: SignIns, limits: readonly Limit[]): Promise<void> {
  await Promise.all(limits.map(([what, whose]) => signIns.returnLimited(`${what} ${whose}`)));
}
