import { networkOf } from '../../proxy/http/rate-limiting.ts';
import type { SignIns } from '../../proxy/ledger/sign-ins.ts';

const HOUR_SECONDS = 60 * 60;
/**
 * Maximum number of mails per hour for one network, such as a school whose pupils all sign in at
 * once.
 */
const MAX_FOR_NETWORK = 200;
/** Divisor of the budget that gives the share available to one network. */
const PARTS = 5;

type Limits = Pick<SignIns, 'takeLimited' | 'returnLimited'>;

/**
 * Limits the mails that the service sends per hour, across all processes that share a ledger, since
 * a mail server has a quota and a reputation. No network (`networkOf`) can use up more than a fifth
 * of the budget.
 */
export class MailBudget {
  readonly perHour: number;
  /** Mails that were not sent because the budget was used up. */
  refused = 0;
  readonly #ledger: Limits;

  constructor(ledger: Limits, perHour: number) {
    this.#ledger = ledger;
    this.perHour = perHour;
  }

  /**
   * Takes one mail from the budget on behalf of a client; if none is left, returns how many seconds
   * to wait.
   */
  async take(ip: string, nowMs: number): Promise<{ readonly waitSeconds: number } | null> {
    const forNetwork = Math.min(MAX_FOR_NETWORK, Math.ceil(this.perHour / PARTS));
    const ofNetwork = await this.#take(networkSubject(ip), forNetwork, nowMs);
    if (ofNetwork !== null) return ofNetwork;
    const ofAll = await this.#take(OF_ALL, this.perHour, nowMs);
    if (ofAll === null) return null;
    this.refused++;
    await this.#ledger.returnLimited(networkSubject(ip));
    return ofAll;
  }

  /** Returns the mail that a client took, and that is not sent. */
  async giveBack(ip: string): Promise<void> {
    await this.#ledger.returnLimited(networkSubject(ip));
    await this.#ledger.returnLimited(OF_ALL);
  }

  async #take(subject: string, limit: number, nowMs: number) {
    const window = { limit, windowSeconds: HOUR_SECONDS };
    const { allowed, rate } = await this.#ledger.takeLimited(subject, window, nowMs);
    return allowed ? null : { waitSeconds: rate.resetSeconds };
  }
}

const OF_ALL = 'mails for all';

function networkSubject(ip: string): string {
  return `mails for network ${networkOf(ip)}`;
}
