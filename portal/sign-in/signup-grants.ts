import { getDomain } from 'tldts';
import { networkOf } from '../../proxy/http/rate-limiting.ts';
import type { Account, AccountId, Accounts } from '../../proxy/ledger/accounts.ts';
import { signupGrant } from '../../proxy/ledger/bookkeeping.ts';
import {
  type DelayedGrants,
  type DueGrant,
  delayIn,
  delaySince,
  type SpacedWindow,
  spacingMs,
  withheldGrant,
} from '../../proxy/ledger/delayed-grants.ts';
import {
  asciiDomain,
  hashMailbox,
  isProvider,
  mailboxOf,
  untaggedMailboxOf,
} from '../../proxy/ledger/mailbox.ts';
import type { SignIns } from '../../proxy/ledger/sign-ins.ts';
import type { Millis } from '../../shards/units.ts';
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
  return LISTED.has(host) || isProvider(host) ? null : mailDomain(email);
}

function mailDomain(email: string): string {
  const host = mailHost(email);
  return getDomain(host) ?? host;
}

function mailHost(email: string): string {
  return asciiDomain(email.slice(email.lastIndexOf('@') + 1).trim());
}

/**
 * Limits on sign-up grants per day: in total, where 0 gives none, and by network and domain, which
 * can have many accounts.
 */
interface SignupGrantLimits {
  readonly perDay: number;
  /** Limit per network: a /24 of IPv4, a /48 of IPv6. */
  readonly perNetwork: number;
  /** Limit per registered domain, except public mailbox hosts and `openDomains`. */
  readonly perDomain: number;
  /** Domains, with their subdomains, whose addresses are limited by network and in total only. */
  readonly openDomains: readonly string[];
}

/** Outcome of opening an account; `former`: its mailbox has had an account and the grant. */
type SignupOutcome = 'given' | 'former' | WithheldBy;

interface Withheld {
  readonly by: WithheldBy;
  /** When it is credited; null while no grants are given. */
  readonly untilMs: number | null;
}

const DAY_SECONDS = 24 * 60 * 60;
const DAY_MS: Millis = DAY_SECONDS * 1000;
/** Grants a day for the addresses that differ in the part after a plus only. */
const TAGGED_PER_DAY = 10;
const CREDIT_PAUSE_MS: Millis = 10_000;
const OF_DAY = 'grants for all';
/** Pause between checks whether a disabled account, whose grant is due, is enabled again. */
const DISABLED_PAUSE_MS: Millis = 60 * 60 * 1000;
const MAX_CREDITED = 100;
/**
 * Delayed grants of a network and mail domain that are counted until they are credited, or a year
 * after the first.
 */
const PAIR_WINDOW = { limit: 1_000_000, windowSeconds: 365 * DAY_SECONDS };

interface Limit {
  readonly by: 'network' | 'domain' | 'day';
  readonly subject: string;
  readonly window: SpacedWindow;
}

interface Refusal {
  readonly by: WithheldBy;
  readonly subject: string;
  /** When the limit has room again, and how much later for each further grant. */
  readonly untilMs: number;
  readonly spacingMs: Millis;
}

/**
 * Opens accounts at sign-in, with the sign-up grant within limits, since mailboxes are free for the
 * owner of a domain, and IP addresses for the owner of a network. A grant takes one of each limit
 * when it is credited. If a limit is used up, or others wait for it already, the grant is delayed:
 * it joins the queue of that limit, which the service credits from as soon as there is room. In
 * queues, each grant that waits of the same network and mail domain counts as a day of waiting. So
 * many sign-ups delay those of their own network and domain, and others only by as many a day as
 * there are such pairs, not by their number.
 */
export class SignupGrants {
  readonly limits: SignupGrantLimits;
  readonly outcomes: Map<SignupOutcome, number>;
  readonly #ledger: GrantLedger;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<unknown> = Promise.resolve();

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
    const network = networkOf(ip);
    const limits = this.#limitsOf(email, network);
    const refusal = await this.#take(limits, atMs);
    const { account, isNew } = await this.#ledger.openAccount({
      email,
      by: 'owner',
      atMs,
      signupGrant: refusal === null ? signupGrant(atMs) : withheldGrant(refusal.by, atMs),
    });
    const hasGrant = isNew && (await this.#ledger.grants(account.id)).length > 0;
    if (refusal === null && !hasGrant) await this.#giveBack(limits);
    if (refusal !== null && hasGrant) await this.#delay(account.id, email, network, refusal, atMs);
    if (isNew) this.#count(hasGrant ? (refusal?.by ?? 'given') : 'former');
    return account;
  }

  /** Credits the grant that an account is due, if it is time; returns the one still withheld. */
  async settle(
    account: Account,
    atMs: number,
  ): Promise<{ readonly account: Account; readonly withheld: Withheld | null }> {
    const { id, email } = account;
    const delay = delayIn(await this.#ledger.grants(id));
    if (delay === null) return { account, withheld: null };
    if (this.limits.perDay === 0) return { account, withheld: { by: 'off', untilMs: null } };
    const stated = delaySince(id, delay.sinceMs);
    await this.#ledger.delayGrant(id, stated);
    const delayed = async () => (await this.#ledger.delayedGrant(id)) ?? stated;
    if (!account.disabled && (await delayed()).dueAtMs <= atMs) await this.creditDue(atMs);
    if (delayIn(await this.#ledger.grants(id)) === null) {
      return { account: (await this.#ledger.account(id)) ?? account, withheld: null };
    }
    const { waitsFor, dueAtMs, network } = await delayed();
    const limit = this.#limitsOf(email ?? '', network).find(({ subject }) => subject === waitsFor);
    const by = limit?.by ?? 'network';
    if (account.disabled) return { account, withheld: { by, untilMs: null } };
    if (dueAtMs > atMs) return { account, withheld: { by, untilMs: dueAtMs } };
    const nextAtMs = (await this.#ledger.queueTime(waitsFor)) ?? atMs;
    return { account, withheld: { by, untilMs: Math.max(nextAtMs, atMs + CREDIT_PAUSE_MS) } };
  }

  /** Credits grants from the queues whose time has come, as long as there is room. */
  async creditDue(atMs: number): Promise<void> {
    if (this.limits.perDay === 0) return;
    for (let credited = 0; credited < MAX_CREDITED; ) {
      const due = await this.#ledger.dueGrants(atMs);
      if (due.length === 0) return;
      for (const grant of due) await this.#credit(grant, atMs);
      credited += due.length;
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

  /** Credits the first grant of a queue, or lets it wait for the limit that has no room. */
  async #credit({ account: id, waitsFor, network }: DueGrant, atMs: number): Promise<void> {
    const account = await this.#ledger.account(id);
    if (!account?.email) return this.#ledger.endDelay(id);
    // In a queue of its own, it holds up no other.
    if (account.disabled) return this.#ledger.deferGrant(id, id, atMs + DISABLED_PAUSE_MS);
    const limits = this.#limitsOf(account.email, network);
    const refusal = await this.#take(limits, atMs, waitsFor);
    if (refusal) return this.#ledger.deferGrant(id, refusal.subject, refusal.untilMs);
    const { granted } = await this.#ledger.grant(id, signupGrant(atMs), 'owner');
    await this.#ledger.endDelay(id);
    if (!granted) return this.#giveBack(limits);
    await this.#ledger.returnLimited(pairSubject(account.email, network));
    this.#count('given');
  }

  async #delay(
    id: AccountId,
    email: string,
    network: string,
    { subject, untilMs, spacingMs }: Refusal,
    atMs: number,
  ): Promise<void> {
    const pair = pairSubject(email, network);
    const { rate } = await this.#ledger.takeLimited(pair, PAIR_WINDOW, atMs);
    const earlier = PAIR_WINDOW.limit - 1 - rate.remaining;
    const dueAtMs = Math.ceil(untilMs + earlier * spacingMs);
    const orderMs = atMs + earlier * DAY_MS;
    await this.#ledger.delayGrant(id, { waitsFor: subject, dueAtMs, orderMs, network });
  }

  /**
   * Takes one of each limit, or none and returns the first limit that is used up, or that others
   * wait for. A grant that is first in the queue of a limit, `waitedFor`, passes the queues of
   * narrower limits, too: it has waited in them, if they had no room.
   */
  async #take(limits: readonly Limit[], atMs: number, waitedFor?: string): Promise<Refusal | null> {
    if (this.limits.perDay === 0) {
      return { by: 'off', subject: OF_DAY, untilMs: atMs, spacingMs: 0 };
    }
    const passed = limits.findIndex(({ subject }) => subject === waitedFor);
    for (const [i, limit] of limits.entries()) {
      const { by, subject } = limit;
      const queuedUntilMs = i > passed ? await this.#ledger.queueTime(subject) : undefined;
      const untilMs = queuedUntilMs ?? (await this.#takeOne(limit, atMs));
      if (queuedUntilMs === undefined && untilMs <= atMs) continue;
      await this.#giveBack(limits.slice(0, i));
      return { by, subject, untilMs, spacingMs: spacingMs(limit.window) };
    }
    return null;
  }

  /** Takes one of a limit if one is available, and returns since when it is. */
  async #takeOne({ by, subject, window }: Limit, atMs: number): Promise<number> {
    if (by !== 'day') return this.#ledger.takeSpaced(subject, window, atMs);
    const { allowed, rate } = await this.#ledger.takeLimited(subject, window, atMs);
    return allowed ? atMs : atMs + rate.resetSeconds * 1000;
  }

  /** Returns what a grant took that is not given. */
  async #giveBack(limits: readonly Limit[]): Promise<void> {
    for (const { by, subject, window } of limits) {
      if (by === 'day') await this.#ledger.returnLimited(subject);
      else await this.#ledger.returnSpaced(subject, window);
    }
  }

  /** The limits of a grant, the narrowest first. */
  #limitsOf(email: string, network: string): Limit[] {
    const untagged = untaggedMailboxOf(email);
    const domain = this.#limitedDomain(email);
    const { perDay, perNetwork, perDomain } = this.limits;
    return [
      // One person with many tags takes no places from others.
      ...(untagged === mailboxOf(email)
        ? []
        : [limit('domain', `grant of mailbox ${hashMailbox(untagged)}`, TAGGED_PER_DAY)]),
      ...(domain === null ? [] : [limit('domain', `grant of domain ${domain}`, perDomain)]),
      limit('network', `grant of network ${network}`, perNetwork),
      limit('day', OF_DAY, perDay),
    ];
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

function limit(by: Limit['by'], subject: string, perDay: number): Limit {
  return { by, subject, window: { limit: perDay, windowSeconds: DAY_SECONDS } };
}

/** Subject of the number of delayed grants of a network and mail domain. */
function pairSubject(email: string, network: string): string {
  return `grants delayed of ${network} ${mailDomain(email)}`;
}

type GrantLedger = Accounts & DelayedGrants & Pick<SignIns, 'takeLimited' | 'returnLimited'>;
