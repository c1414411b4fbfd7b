import type { PaymentEvent, PaymentEvents } from '../../proxy/ledger/payment-events.ts';
import { isFaultOfStripe, isMissing, isUnreachable } from './stripe-client.ts';

const AT_ONCE = 1_000;
/** Maximum pause between checks: another process may have stored events. */
const LOOK_AGAIN_MS = 30_000;
const MAX_RETRY_MS = 10 * 60_000;
/** Age at which an event that Stripe does not have is dropped: it never existed. */
const GIVEN_UP_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

interface EventWorkerOptions {
  readonly ledger: PaymentEvents;
  readonly isOwn: (event: PaymentEvent) => boolean;
  /** Processes an event; `null`: it is too early, and the event stays open. */
  readonly settle: (event: PaymentEvent) => Promise<unknown>;
  readonly now: () => number;
  readonly onError: (error: unknown, event?: PaymentEvent) => void;
  /** Delay after the first failure; doubles after each further one. */
  readonly retryMs?: number;
}

interface Failures {
  readonly count: number;
  readonly lastAtMs: number;
  readonly nextAtMs: number;
}

/**
 * Processes its share of the stored events, one at a time: first those never tried, oldest first,
 * then failed ones, the least recently tried first. Each failed event backs off individually and
 * delays no other; a new process retries it at once. Stripe is considered down if it is unreachable
 * or fails for consecutive events: then one event is tried at a time.
 */
export class EventWorker {
  readonly #options: EventWorkerOptions;
  readonly #retryMs: number;
  readonly #failures = new Map<string, Failures>();
  /** Outage of Stripe, since the last success. */
  #outage: Failures | undefined;
  /** The event for which Stripe last failed, if nothing has succeeded since. */
  #failedAt: string | undefined;
  #round: Promise<void> | null = null;
  #isAskedAgain = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EventWorkerOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? 2_000;
  }

  /** Checks for open events now. Resolves when all that are due have been tried. */
  wake(): Promise<void> {
    this.#isAskedAgain = true;
    this.#round ??= this.#work();
    return this.#round;
  }

  /** Resolves when the current event is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #work(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#isAskedAgain && !this.#isStopped) {
      this.#isAskedAgain = false;
      await this.#tryAll().catch(this.#options.onError);
    }
    this.#round = null;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.wake(), this.#pauseMs());
    this.#timer.unref();
  }

  async #tryAll(): Promise<void> {
    const { now } = this.#options;
    const events = await this.#openEvents();
    this.#forgetAllBut(events);
    const triedAtMs = ({ id }: PaymentEvent) => this.#failures.get(id)?.lastAtMs ?? 0;
    for (const event of events.toSorted((a, b) => triedAtMs(a) - triedAtMs(b))) {
      // While Stripe is down, each event would fail, after a long wait.
      if (this.#isStopped || (this.#outage?.nextAtMs ?? 0) > now()) return;
      if ((this.#failures.get(event.id)?.nextAtMs ?? 0) <= now()) await this.#try(event);
    }
  }

  /** Returns all open events, since permanently failing ones must not hide later ones. */
  async #openEvents(): Promise<PaymentEvent[]> {
    const events: PaymentEvent[] = [];
    for (;;) {
      const more = await this.#options.ledger.openEvents(AT_ONCE, events.length);
      events.push(...more);
      if (more.length < AT_ONCE) return events.filter(this.#options.isOwn);
    }
  }

  async #try(event: PaymentEvent): Promise<void> {
    const { ledger, settle, now, onError } = this.#options;
    try {
      const settled = await settle(event).catch((error: unknown) => {
        const isOld = now() - event.receivedAtMs > GIVEN_UP_AFTER_MS;
        if (!isOld || !isMissing(error)) throw error;
      });
      if (settled === null) return;
      await ledger.closeEvent(event.id, now());
      this.#failures.delete(event.id);
      this.#outage = undefined;
      this.#failedAt = undefined;
    } catch (error) {
      this.#failures.set(event.id, this.#failedAgain(this.#failures.get(event.id)));
      if (this.#recordFailure(event, error)) this.#outage = this.#failedAgain(this.#outage);
      onError(error, event);
    }
  }

  /** Records the event that Stripe failed for; returns whether Stripe is considered down. */
  #recordFailure({ id }: PaymentEvent, error: unknown): boolean {
    if (!isFaultOfStripe(error)) return false;
    const before = this.#failedAt ?? id;
    this.#failedAt = id;
    return isUnreachable(error) || before !== id;
  }

  #failedAgain(before: Failures | undefined): Failures {
    const count = (before?.count ?? 0) + 1;
    const waitMs = Math.min(this.#retryMs * 2 ** (count - 1), MAX_RETRY_MS);
    const lastAtMs = this.#options.now();
    return { count, lastAtMs, nextAtMs: lastAtMs + waitMs };
  }

  /** Drops the failures of all other events: another process may have closed them. */
  #forgetAllBut(events: readonly PaymentEvent[]): void {
    const open = new Set(events.map(({ id }) => id));
    for (const id of this.#failures.keys()) if (!open.has(id)) this.#failures.delete(id);
  }

  #pauseMs(): number {
    const nowMs = this.#options.now();
    const outage = this.#outage && this.#outage.nextAtMs > nowMs ? [this.#outage] : undefined;
    const due = outage ?? [...this.#failures.values()];
    // Not spread into `Math.min`: there may be more values than a call accepts arguments.
    const nextAtMs = due.reduce((first, { nextAtMs }) => Math.min(first, nextAtMs), Infinity);
    return Math.min(Math.max(nextAtMs - nowMs, 50), LOOK_AGAIN_MS);
  }
}
