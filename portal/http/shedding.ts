import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Millis } from '../../shards/units.ts';
import { Problem } from './problem.ts';
import { rateSubject } from './rate-subject.ts';

const SAMPLE_MS: Millis = 100;
/** One late turn is a long step of work; so many in a row are more requests than there is time for. */
const SAMPLES = 4;
/** How much later than that is so late that what one asks for at a time is too much, too. */
const FAR = 4;
const MOST_RETRY_SECONDS = 4;

/** What is told to one who is sent away because of all the others. They come back at various times. */
export function overloaded(): Problem {
  const seconds = 1 + Math.floor(Math.random() * MOST_RETRY_SECONDS);
  const detail = 'more is asked than can be answered in time; nothing was charged';
  return new Problem('overloaded', detail, {}, { 'retry-after': String(seconds) });
}

/**
 * Watches how late the event loop is: the least of some turns in a row. While that is later than it
 * should be, whoever has a request under way gets no second one; when it is far later, every other
 * newcomer is sent away too. So one who asks for much does not keep out one who asks for little.
 */
export class LoadShedder {
  readonly #lateMs: Millis;
  readonly #onChange: (isShedding: boolean) => void;
  readonly #samples = new Array<Millis>(SAMPLES).fill(0);
  readonly #timer: NodeJS.Timeout;
  /** Requests under way that came while shedding, by who asks. */
  readonly #underWay = new Map<string, number>();
  #taken = 0;
  #newcomers = 0;
  #dueMs: Millis;
  /** How late the loop has been in all of the last turns. */
  lagMs: Millis = 0;
  /** Requests that were sent away. */
  shed = 0;

  /** `lateMs`: from when on requests are shed. */
  constructor(lateMs: Millis, onChange: (isShedding: boolean) => void = () => {}) {
    this.#lateMs = lateMs;
    this.#onChange = onChange;
    this.#dueMs = performance.now() + SAMPLE_MS;
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      this.sample(nowMs - this.#dueMs);
      this.#dueMs = nowMs + SAMPLE_MS;
    }, SAMPLE_MS).unref();
  }

  get isShedding(): boolean {
    return this.lagMs > this.#lateMs;
  }

  /** A turn of the loop was so late. */
  sample(lateMs: Millis): void {
    const before = this.isShedding;
    this.#samples[this.#taken++ % SAMPLES] = lateMs;
    this.lagMs = Math.min(...this.#samples);
    if (before === this.isShedding) return;
    this.#underWay.clear();
    this.#onChange(this.isShedding);
  }

  /** Whether a request may begin; `leave` when it has ended. */
  take(asker: string): boolean {
    const underWay = this.#underWay.get(asker) ?? 0;
    const isTooLate = this.lagMs > FAR * this.#lateMs && this.#newcomers++ % 2 === 0;
    if (underWay > 0 || isTooLate) {
      this.shed++;
      return false;
    }
    this.#underWay.set(asker, underWay + 1);
    return true;
  }

  leave(asker: string): void {
    this.#underWay.delete(asker);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/**
 * Sends requests away while the loop is late, before anything is done for them, but probes and what
 * is signed.
 */
export function shedLoad(app: FastifyInstance, lateMs: Millis): LoadShedder {
  const shedder = new LoadShedder(lateMs, (isShedding) => {
    const { lagMs, shed } = shedder;
    app.log.warn(
      { lagMs: Math.round(lagMs), shed },
      `load shedding ${isShedding ? 'began' : 'ended'}`,
    );
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!shedder.isShedding) return done();
    const { probe, signed } = request.routeOptions.config;
    if (probe || signed || request.method === 'OPTIONS') return done();
    const asker = askerOf(request);
    if (!shedder.take(asker)) return done(overloaded());
    reply.raw.once('close', () => shedder.leave(asker));
    done();
  });
  app.addHook('onClose', async () => shedder.close());
  return shedder;
}

/** Who asks, before it is known who that is: a key that is false costs little. */
function askerOf({ headers, ip }: FastifyRequest): string {
  return headers.authorization ?? rateSubject(ip);
}
