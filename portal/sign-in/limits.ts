import { CHALLENGE_MINUTES, type SignIns } from '../accounts/sign-ins.ts';
import { networkOf } from '../http/rate-limiting.ts';

const DAY_SECONDS = 24 * 60 * 60;

/**
 * Limits of mails, and of wrong codes of six digits at open challenges. Such a code is one of
 * 990,000, so all strangers together guess one of the service in as many tries, which take 10.8
 * years. A network (/24 in IPv4, /48 in IPv6) has a tenth of their tries, and of those at one
 * mailbox, and less than half of the mails to it. While a client's tries are used up, by itself or
 * by others, it is mailed long codes, which need no limit but the tries of their challenge: they
 * are one of ten billion, and a million tries a day guess one in 27 years. So strangers can make
 * codes longer, but not end signing in with them. Known browsers have mails and tries of their own
 * (`known-browser.ts`), and links always work.
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
  'sent to mailbox in a day': { limit: 40, windowSeconds: DAY_SECONDS },
  'tried at mailbox by network': { limit: 10, windowSeconds: DAY_SECONDS },
  'tried at mailbox': { limit: 100, windowSeconds: DAY_SECONDS },
  'tried by network': { limit: 25, windowSeconds: DAY_SECONDS },
  'tried by all': { limit: 250, windowSeconds: DAY_SECONDS },
} as const;

type Limit = readonly [what: keyof typeof LIMITS, whose: string];

/** A client that requests or tries a code of a mailbox. */
export interface AtMailbox {
  readonly ip: string;
  /** `mailboxHash` of the mailbox, or of the mailbox and the known browser. */
  readonly mailbox: string;
  readonly isKnownBrowser?: boolean;
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
  { ip, mailbox, isKnownBrowser }: AtMailbox,
  nowMs: number,
): Promise<Wait | null> {
  const own: Limit[] = [
    ['sent to mailbox', mailbox],
    ['sent to mailbox in a day', mailbox],
  ];
  const ofNetwork = ['sent to mailbox for network', `${mailbox} ${networkOf(ip)}`] as const;
  return takeAll(signIns, isKnownBrowser ? own : [ofNetwork, ...own], nowMs);
}

/**
 * Takes one try at a code of six digits, before it is looked at, so that concurrent tries are not
 * more; if none is left, returns how many seconds to wait.
 */
export function takeTry(signIns: SignIns, client: AtMailbox, nowMs: number): Promise<Wait | null> {
  return takeAll(signIns, limitsOfTry(client), nowMs);
}

/** Returns a try that guessed at nothing, since the code was right or nothing was open. */
export async function returnTry(
  signIns: SignIns,
  client: AtMailbox,
  outcome: 'right' | 'none',
): Promise<void> {
  const limits = limitsOfTry(client);
  // A client uses up its network's tries even so, as the ledger is asked for it.
  await returnAll(
    signIns,
    outcome === 'right' ? limits : limits.filter(([what]) => isShared(what)),
  );
}

/** Whether clients of other networks are counted, too. */
function isShared(what: keyof typeof LIMITS): boolean {
  return what === 'tried at mailbox' || what === 'tried by all';
}

/** Whether a client has a try left; takes none. */
export async function hasTry(signIns: SignIns, client: AtMailbox, nowMs: number): Promise<boolean> {
  if ((await takeTry(signIns, client, nowMs)) !== null) return false;
  await returnAll(signIns, limitsOfTry(client));
  return true;
}

/** Limits of a try, the narrowest first. */
function limitsOfTry({ ip, mailbox, isKnownBrowser }: AtMailbox): readonly Limit[] {
  const network = networkOf(ip);
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
