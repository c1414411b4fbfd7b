import { getDomain } from 'tldts';
import type { Millis } from '../../shards/units.ts';
import type { Account, Accounts } from '../accounts/accounts.ts';
import { signupGrant } from '../accounts/bookkeeping.ts';
import { type DelayedGrants, delayIn, withheldGrant } from '../accounts/delayed-grants.ts';
import {
  asciiDomain,
  hashMailbox,
  isProvider,
  mailboxOf,
  untaggedMailboxOf,
} from '../accounts/mailbox.ts';
import type { SignIns } from '../accounts/sign-ins.ts';
import { networkOf } from '../http/rate-limiting.ts';
import { WITHHELD_BY, type WithheldBy } from '../responses.ts';

/**
 * Public hosts where a mailbox costs a telephone number, a contract or money, so that many accounts
 * at one host do not indicate one person with many addresses. This list and the providers of
 * `mailbox.ts` are the only source: the large hosts of the United States and the most common ones
 * in other countries, 2026. Hosts that give out unlimited mailboxes are left out on purpose.
 */
const HOSTS =
  // United States
  'aol.com aim.com ameritech.net att.net bellsouth.net cableone.net centurylink.net centurytel.net charter.net comcast.net cox.net earthlink.net embarqmail.com frontier.com frontiernet.net hughes.net juno.com mindspring.com netzero.net optimum.net optonline.net pacbell.net q.com rcn.com roadrunner.com rr.com sbcglobal.net spectrum.net suddenlink.net swbell.net tds.net twc.com verizon.net windstream.net wowway.com xfinity.com ' +
  // Canada, Australia, New Zealand, the United Kingdom, Ireland
  'bell.net cogeco.ca rogers.com shaw.ca sympatico.ca telus.net videotron.ca bigpond.com bigpond.net.au iinet.net.au optusnet.com.au xtra.co.nz blueyonder.co.uk bt.com btinternet.com ntlworld.com sky.com talktalk.net virginmedia.com eircom.net ' +
  // The rest of Europe
  'bluewin.ch freenet.de gmx.at gmx.ch gmx.de gmx.net t-online.de web.de free.fr laposte.net orange.fr sfr.fr wanadoo.fr alice.it libero.it tiscali.it virgilio.it kpnmail.nl planet.nl ziggo.nl proximus.be skynet.be telenet.be sapo.pt interia.pl o2.pl onet.pl wp.pl seznam.cz bk.ru inbox.ru list.ru mail.ru rambler.ru ukr.net ' +
  // Latin America, Asia
  'bol.com.br terra.com.br uol.com.br prodigy.net.mx 126.com 163.com qq.com sina.com yeah.net daum.net hanmail.net naver.com nate.com docomo.ne.jp rediffmail.com';
const LISTED: ReadonlySet<string> = new Set(HOSTS.split(' '));

/**
 * The registered domain of a mailbox by the Public Suffix List, regardless of subdomains; `null`
 * for a public host.
 */
export function ownMailDomain(email: string): string | null {
  const host = mailHost(email);
  if (LISTED.has(host) || isProvider(host)) return null;
  return getDomain(host) ?? host;
}

function mailHost(email: string): string {
  return asciiDomain(email.slice(email.lastIndexOf('@') + 1).trim());
}

/**
 * Limits on sign-up grants per day: in total, where 0 gives none, and by network and domain, which
 * can have many accounts.
 */
export interface SignupGrantLimits {
  readonly perDay: number;
  /** Limit per network: a /24 of IPv4, a /48 of IPv6. */
  readonly perNetwork: number;
  /** Limit per registered domain, except public mailbox hosts and `openDomains`. */
  readonly perDomain: number;
  /** Domains, with their subdomains, whose addresses are limited by network and in total only. */
  readonly openDomains: readonly string[];
}

/** Outcome of opening an account; `former`: its mailbox has had an account and the grant. */
export type SignupOutcome = 'given' | 'former' | WithheldBy;

/** A grant that is still due. */
export interface Withheld {
  readonly by: WithheldBy;
  /** When it is credited; null while no grants are given. */
  readonly untilMs: number | null;
}

const DAY_SECONDS = 24 * 60 * 60;
/** Grants a day for the addresses that differ in the part after a plus only. */
const TAGGED_PER_DAY = 10;
/** Pause between checks for grants that have become due. */
const CREDIT_PAUSE_MS: Millis = 10_000;
const CREDITED_AT_ONCE = 100;
/** Subject of the limit of all grants of a day. */
const OF_DAY = 'grants for all';

/**
 * Opens accounts at sign-in, with the sign-up grant within limits, since mailboxes are free for the
 * owner of a domain, and IP addresses for the owner of a network. A grant past a limit is delayed:
 * each network and domain has a queue, and the service credits what is due, as many a day as the
 * total allows.
 */
export class SignupGrants {
  readonly limits: SignupGrantLimits;
  /** Count of each outcome. */
  readonly outcomes: Map<SignupOutcome, number>;
  readonly #ledger: GrantLedger;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();

  constructor(ledger: GrantLedger, limits: SignupGrantLimits) {
    this.#ledger = ledger;
    this.limits = limits;
    this.outcomes = new Map((['given', 'former', ...WITHHELD_BY] as const).map((one) => [one, 0]));
  }

  /**
   * Returns the account of an address that the client has proven to own; opens one if there is
   * none.
   */
  async openAccount(email: string, ip: string, atMs: number): Promise<Account> {
    const known = await this.#ledger.accountByEmail(email);
    if (known) return known;
    const { by, dueAtMs } = await this.#due(email, ip, atMs);
    const { account, isNew } = await this.#ledger.openAccount({
      email,
      by: 'owner',
      atMs,
      signupGrant: by === null ? signupGrant(atMs) : withheldGrant(by, atMs),
    });
    if (!isNew) return account;
    const isFormer = (await this.#ledger.grants(account.id)).length === 0;
    if (by !== null && !isFormer) await this.#ledger.delayGrant(account.id, dueAtMs);
    this.#count(isFormer ? 'former' : (by ?? 'given'));
    return account;
  }

  /** Credits the grant that an account is due, if it is time; returns the one still withheld. */
  async settle(
    account: Account,
    atMs: number,
  ): Promise<{ readonly account: Account; readonly withheld: Withheld | null }> {
    const { id } = account;
    const delay = delayIn(await this.#ledger.grants(id));
    if (delay === null) return { account, withheld: null };
    if (this.limits.perDay === 0) return { account, withheld: { by: 'off', untilMs: null } };
    const dueAtMs = (await this.#ledger.delayedUntil(id)) ?? delay.sinceMs;
    if (dueAtMs > atMs) {
      const by = delay.reason === 'domain' ? 'domain' : 'network';
      return { account, withheld: { by, untilMs: dueAtMs } };
    }
    const { allowed, rate } = await this.#takeOfDay(atMs);
    if (!allowed) {
      return { account, withheld: { by: 'day', untilMs: atMs + rate.resetSeconds * 1000 } };
    }
    const { granted, balance } = await this.#ledger.grant(id, signupGrant(atMs), 'owner');
    if (granted) this.#count('given');
    else await this.#ledger.returnLimited(OF_DAY);
    return { account: { ...account, balance }, withheld: null };
  }

  /** Credits grants that are due, the earliest first, until the day's total is used up. */
  async creditDue(atMs: number): Promise<void> {
    for (;;) {
      const due = await this.#ledger.dueGrants(atMs, CREDITED_AT_ONCE);
      for (const id of due) {
        const account = await this.#ledger.account(id);
        const isOpen = account?.closedAtMs === null && !account.disabled;
        if (isOpen && (await this.settle(account, atMs)).withheld !== null) return;
        await this.#ledger.endDelay(id);
      }
      if (due.length < CREDITED_AT_ONCE) return;
    }
  }

  /** Credits due grants from now on, until `stop`. */
  start(now: () => number, onError: (error: unknown) => void): void {
    this.#timer = setTimeout(() => {
      this.#round = this.creditDue(now()).catch(onError);
      void this.#round.then(() => this.#timer && this.start(now, onError));
    }, CREDIT_PAUSE_MS);
    this.#timer.unref();
  }

  /** Resolves once nothing is being credited. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#round;
  }

  /** When a new account is due its grant, and the limit that delays it, if any. */
  async #due(
    email: string,
    ip: string,
    atMs: number,
  ): Promise<{ readonly by: WithheldBy | null; readonly dueAtMs: number }> {
    const { perDay, perNetwork, perDomain } = this.limits;
    const reserve = (subject: string, limit: number) =>
      this.#ledger.reserve(subject, { limit, windowSeconds: DAY_SECONDS }, atMs);
    const untagged = untaggedMailboxOf(email);
    if (untagged !== mailboxOf(email)) {
      // One person with many tags takes no places from others.
      const dueAtMs = await reserve(`grant of mailbox ${hashMailbox(untagged)}`, TAGGED_PER_DAY);
      if (dueAtMs > atMs) return { by: perDay === 0 ? 'off' : 'domain', dueAtMs };
    }
    const domain = this.#limitedDomain(email);
    const ofNetwork = await reserve(`grant of network ${networkOf(ip)}`, perNetwork);
    const ofDomain = domain === null ? atMs : await reserve(`grant of domain ${domain}`, perDomain);
    const dueAtMs = Math.max(ofNetwork, ofDomain);
    if (perDay === 0) return { by: 'off', dueAtMs };
    if (dueAtMs > atMs) return { by: ofDomain > ofNetwork ? 'domain' : 'network', dueAtMs };
    return { by: (await this.#takeOfDay(atMs)).allowed ? null : 'day', dueAtMs };
  }

  /** Takes one of the grants of a day. */
  #takeOfDay(atMs: number) {
    const window = { limit: this.limits.perDay, windowSeconds: DAY_SECONDS };
    return this.#ledger.takeLimited(OF_DAY, window, atMs);
  }

  #limitedDomain(email: string): string | null {
    const host = mailHost(email);
    const isOpen = this.limits.openDomains.some((one) => `.${host}`.endsWith(`.${one}`));
    return isOpen ? null : ownMailDomain(email);
  }

  #count(outcome: SignupOutcome): void {
    this.outcomes.set(outcome, this.outcomes.get(outcome)! + 1);
  }
}

type GrantLedger = Accounts & DelayedGrants & Pick<SignIns, 'takeLimited' | 'returnLimited'>;
