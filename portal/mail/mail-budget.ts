import type { SignIns } from '../accounts/sign-ins.ts';
import { networkOf } from '../http/rate-limiting.ts';

const HOUR_SECONDS = 60 * 60;
/**
 * Maximum number of mails per hour for one network, such as a school whose pupils all sign in at
 * once.
 */
const MAX_FOR_NETWORK = 200;
/** Divisor of the budget that gives the share available to one network. */
const PARTS = 5;

/**
 * Limits the mails that the service sends per hour, across all processes that share a ledger, since
 * a mail server has a quota and a reputation. No network (`networkOf`) can use up more than a fifth
 * of the budget.
 */
export class MailBudget {
  readonly perHour: number;
  /** Mails that were not sent because the budget was used up. */
  refused = 0;
  readonly #ledger: Pick<SignIns, 'takeLimited'>;

  constructor(ledger: Pick<SignIns, 'takeLimited'>, perHour: number) {
    this.#ledger = ledger;
    this.perHour = perHour;
  }

  /**
   * Takes one mail from the budget on behalf of a client; if none is left, returns how many seconds
   * to wait.
   */
  async take(ip: string, nowMs: number): Promise<{ readonly waitSeconds: number } | null> {
    const forNetwork = Math.min(MAX_FOR_NETWORK, Math.ceil(this.perHour / PARTS));
    const ofNetwork = await this.#take(`mails for network ${networkOf(ip)}`, forNetwork, nowMs);
    if (ofNetwork !== null) return ofNetwork;
    const ofAll = await this.#take('mails for all', this.perHour, nowMs);
    if (ofAll !== null) this.refused++;
    return ofAll;
  }

  async #take(subject: string, limit: number, nowMs: number) {
    const window = { limit, windowSeconds: HOUR_SECONDS };
    const { allowed, rate } = await this.#ledger.takeLimited(subject, window, nowMs);
    return allowed ? null : { waitSeconds: rate.resetSeconds };
  }
}
