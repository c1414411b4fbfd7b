import type { SignIns } from '../accounts/sign-ins.ts';
import { CHALLENGE_MINUTES } from '../accounts/sign-ins.ts';
import { networkOf, rateSubject } from '../http/rate-limiting.ts';

const HOUR_SECONDS = 60 * 60;

/**
 * Rate limits of codes. A code is one of a million with five tries. Tries at a mailbox are limited
 * by network, so that an attacker cannot lock out its owner, who is elsewhere, and in total, a
 * limit that takes ten networks a day to reach. One network guesses one mailbox's code once in
 * three centuries, any number of them once in three decades. Many clients trying many mailboxes
 * would succeed sooner. Therefore, when total tries exceed those of people, each client gets as
 * many as a person needs, and when even those are too many, codes pause. The owner of a network
 * (/24 in IPv4, /48 in IPv6) controls any number of clients, but one network is too small a share
 * to cause that: it takes five networks for per-client limits and a hundred for a pause. The link
 * is not limited, since it cannot be guessed. An owner can therefore always sign in: if no mail is
 * sent because a mailbox received many, the last one is still valid.
 */
export const LIMITS = {
  /** Codes sent on behalf of one client; a school or an office may share an address. */
  'sent for client': { limit: 30, windowSeconds: 10 * 60 },
  /**
   * Codes sent to one mailbox. The pause is no longer than the validity of the last code, which was
   * sent within the window.
   */
  'sent to mailbox': { limit: 5, windowSeconds: CHALLENGE_MINUTES * 60 },
  'tried by client': { limit: 60, windowSeconds: HOUR_SECONDS },
  'tried by network': { limit: 240, windowSeconds: HOUR_SECONDS },
  'tried by all': { limit: 1_000, windowSeconds: HOUR_SECONDS },
  'tried by client, of many': { limit: 10, windowSeconds: HOUR_SECONDS },
  'tried by network, of many': { limit: 40, windowSeconds: HOUR_SECONDS },
  'tried by all, of many': { limit: 4_000, windowSeconds: HOUR_SECONDS },
  'tried at mailbox by network': { limit: 10, windowSeconds: 24 * HOUR_SECONDS },
  'tried at mailbox': { limit: 100, windowSeconds: 24 * HOUR_SECONDS },
} as const;

/** Takes one of a limit; if none is left, returns how many seconds to wait. */
export async function takeOne(
  signIns: SignIns,
  what: keyof typeof LIMITS,
  whose: string,
  nowMs: number,
): Promise<{ readonly waitSeconds: number } | null> {
  const { allowed, rate } = await signIns.takeLimited(`${what} ${whose}`, LIMITS[what], nowMs);
  return allowed ? null : { waitSeconds: rate.resetSeconds };
}

/**
 * Takes one try from the limits of its client, its network, all clients, and its mailbox, by
 * network and in total; if none is left, returns how many seconds to wait.
 */
export async function takeTry(
  signIns: SignIns,
  { ip, mailbox }: { readonly ip: string; readonly mailbox: string },
  nowMs: number,
): Promise<{ readonly waitSeconds: number } | null> {
  const take = (what: keyof typeof LIMITS, whose: string) => takeOne(signIns, what, whose, nowMs);
  const [client, network] = [rateSubject(ip), networkOf(ip)];
  const ofMany = async () =>
    (await take('tried by client, of many', client)) ??
    (await take('tried by network, of many', network)) ??
    (await take('tried by all, of many', ''));
  return (
    (await take('tried by client', client)) ??
    (await take('tried by network', network)) ??
    ((await take('tried by all', '')) && (await ofMany())) ??
    (await take('tried at mailbox by network', `${mailbox} ${network}`)) ??
    (await take('tried at mailbox', mailbox))
  );
}
