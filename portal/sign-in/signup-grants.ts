import { getDomain } from 'tldts';
import type { Account, AccountId, Accounts, Grant } from '../accounts/accounts.ts';
import { signupGrant } from '../accounts/bookkeeping.ts';
import { asciiDomain, isProvider, mailboxOf } from '../accounts/mailbox.ts';
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
  'bluewin.ch freenet.de gmx.at gmx.ch gmx.de gmx.net t-online.de web.de free.fr laposte.net orange.fr sfr.fr wanadoo.fr alice.it libero.it tiscali.it virgilio.it kpnmail.nl planet.nl ziggo.nl proximus.be skynet.be telenet.be sapo.pt interia.pl o2.pl onet.pl wp.pl seznam.cz bk.ru inbox.ru list.ru mail.ru rambler.ru ya.ru yandex.com yandex.ru ukr.net ' +
  // Latin America, Asia
  'bol.com.br terra.com.br uol.com.br prodigy.net.mx 126.com 163.com qq.com sina.com yeah.net daum.net hanmail.net naver.com nate.com docomo.ne.jp rediffmail.com ' +
  // Paid services
  'hey.com mailbox.org pobox.com posteo.de';
const LISTED: ReadonlySet<string> = new Set(HOSTS.split(' '));

/**
 * The registered domain of a mailbox by the Public Suffix List, regardless of subdomains; `null`
 * for a public host.
 */
export function ownMailDomain(email: string): string | null {
  const host = asciiDomain(email.slice(email.lastIndexOf('@') + 1).trim());
  if (LISTED.has(host) || isProvider(host)) return null;
  return getDomain(host) ?? host;
}

/**
 * Limits on sign-up grants per day: in total, where 0 gives none, and by network and domain, which
 * can have many accounts.
 */
export interface SignupGrantLimits {
  readonly perDay: number;
  /** Limit per network: a /24 of IPv4, a /48 of IPv6. */
  readonly perNetwork: number;
  /** Limit per registered domain, except public mailbox hosts. */
  readonly perDomain: number;
}

/** Outcome of opening an account; `former`: its mailbox has had an account and the grant. */
export type SignupOutcome = 'given' | 'former' | WithheldBy;

const DAY_SECONDS = 24 * 60 * 60;
/** The cause of a zero grant, which records that the sign-up grant is still due, and why. */
const WITHHELD = 'signup-withheld:';

/**
 * Opens accounts at sign-in, with the sign-up grant within limits, since mailboxes are free for the
 * owner of a domain, and IP addresses for the owner of a network. An account past a limit opens
 * without the grant and receives it at a later sign-in when there is room.
 */
export class SignupGrants {
  readonly limits: SignupGrantLimits;
  /** Count of each outcome. */
  readonly outcomes: Map<SignupOutcome, number>;
  readonly #ledger: Accounts & Pick<SignIns, 'takeLimited'>;

  constructor(ledger: Accounts & Pick<SignIns, 'takeLimited'>, limits: SignupGrantLimits) {
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
    if (known && (await this.withheldBy(known.id)) === null) return known;
    const withheldBy = await this.#take(email, ip, atMs);
    const opened = await this.#ledger.openAccount({
      email,
      by: 'owner',
      atMs,
      signupGrant: withheldBy === null ? signupGrant(atMs) : withheld(withheldBy, atMs),
    });
    const { account, isNew } = opened;
    if (isNew) {
      const isFormer = (await this.#ledger.grants(account.id)).length === 0;
      this.#count(isFormer ? 'former' : (withheldBy ?? 'given'));
    } else if (withheldBy === null && (await this.withheldBy(account.id)) !== null) {
      const { balance } = await this.#ledger.grant(account.id, signupGrant(atMs), 'owner');
      this.#count('given');
      return { ...account, balance };
    }
    return account;
  }

  /** Why an account has not received the grant it is due; `null` if it has, or none is due. */
  async withheldBy(id: AccountId): Promise<WithheldBy | null> {
    const causes = (await this.#ledger.grants(id)).map(({ cause }) => cause);
    const cause = causes.find((one) => one.startsWith(WITHHELD));
    if (cause === undefined || causes.includes(signupGrant(0).cause)) return null;
    return WITHHELD_BY.find((one) => WITHHELD + one === cause) ?? 'day';
  }

  /** Takes one grant of each limit, the narrowest first; returns the exhausted one, if any. */
  async #take(email: string, ip: string, atMs: number): Promise<WithheldBy | null> {
    const { perDay, perNetwork, perDomain } = this.limits;
    if (perDay === 0) return 'off';
    if (isTagged(email)) return 'mailbox';
    const take = async (subject: string, limit: number) => {
      const window = { limit, windowSeconds: DAY_SECONDS };
      return (await this.#ledger.takeLimited(`grants ${subject}`, window, atMs)).allowed;
    };
    const domain = ownMailDomain(email);
    if (!(await take(`for network ${networkOf(ip)}`, perNetwork))) return 'network';
    if (domain !== null) {
      if (!(await take(`for domain ${domain}`, perDomain))) return 'domain';
    }
    return (await take('for all', perDay)) ? null : 'day';
  }

  #count(outcome: SignupOutcome): void {
    this.outcomes.set(outcome, this.outcomes.get(outcome)! + 1);
  }
}

/**
 * Whether an address contains a plus that `mailboxOf` has no rule for: usually a tag made up by the
 * owner of a mailbox, who can invent any number of them. The grant is available under the mailbox's
 * own address.
 */
function isTagged(email: string): boolean {
  return mailboxOf(email).lastIndexOf('+') > 0;
}

function withheld(by: WithheldBy, atMs: number): Grant {
  return { tokens: 0, cause: WITHHELD + by, atMs };
}
