import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ClientId, FairQueue } from '../../shards/concurrency/fair-queue.ts';
import type { Millis } from '../../shards/units.ts';
import { Problem } from './problem.ts';
import { rateSubject } from './rate-limiting.ts';

/** How long requests may be begun in one turn of the event loop before what is under way goes on. */
const SLICE_MS: Millis = 4;

/**
 * Lets requests begin, so many in a turn of the event loop as there is time for; the others wait, and
 * enter by turns of who asks. Else a turn would be as long as there are connections with something to
 * say, and each answer takes several turns: one who sends much on many would hold up everybody.
 */
export class RequestScheduler {
  #waiting = new FairQueue<() => void>();
  #count = 0;
  /** When the slice of this turn is used up; 0 while nothing has begun in it. */
  #sliceEndsMs: Millis = 0;

  /** Calls `begin`, now or in a later turn; only then it matters who asks. */
  pass(clientIdOf: () => ClientId, begin: () => void): void {
    if (this.#count === 0 && this.#hasTime()) {
      begin();
      return;
    }
    this.#waiting.push(clientIdOf(), begin);
    this.#count++;
    setImmediate(this.#next);
  }

  /** One at a time: what each does at once, also after a promise, is done before the next. */
  readonly #next = (): void => {
    if (!this.#hasTime()) {
      setImmediate(this.#next);
      return;
    }
    const begin = this.#waiting.shift()!;
    // Who has been served is not remembered for longer than anybody waits.
    if (--this.#count === 0) this.#waiting = new FairQueue();
    begin();
  };

  #hasTime(): boolean {
    const nowMs = performance.now();
    if (this.#sliceEndsMs === 0) {
      this.#sliceEndsMs = nowMs + SLICE_MS;
      setImmediate(this.#endSlice);
    }
    return nowMs < this.#sliceEndsMs;
  }

  readonly #endSlice = (): void => {
    this.#sliceEndsMs = 0;
  };
}

/** Has requests enter by turns of the addresses they come from. */
export function scheduleRequests(app: FastifyInstance): void {
  const entrance = new RequestScheduler();
  app.addHook('onRequest', (request, reply, done) => {
    const begin = () => {
      // Whoever has left meanwhile takes no part, of the loop or of a rate.
      if (request.raw.socket.destroyed) reply.hijack();
      else done();
    };
    entrance.pass(() => rateSubject(request.ip), begin);
  });
}

const SAMPLE_MS: Millis = 100;
/** One late turn is a long step of work; so many in a row are more requests than there is time for. */
const SAMPLES = 4;
/** How much later than that is so late that what one asks for at a time is too much, too. */
const FAR = 4;
const MAX_RETRY_SECONDS = 4;

/** What is told to one who is sent away because of all the others. They come back at various times. */
export function overloaded(): Problem {
  const seconds = 1 + Math.floor(Math.random() * MAX_RETRY_SECONDS);
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
  take(clientId: string): boolean {
    const underWay = this.#underWay.get(clientId) ?? 0;
    const isTooLate = this.lagMs > FAR * this.#lateMs && this.#newcomers++ % 2 === 0;
    if (underWay > 0 || isTooLate) {
      this.shed++;
      return false;
    }
    this.#underWay.set(clientId, underWay + 1);
    return true;
  }

  leave(clientId: string): void {
    this.#underWay.delete(clientId);
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
    const clientId = clientIdOf(request);
    if (!shedder.take(clientId)) return done(overloaded());
    reply.raw.once('close', () => shedder.leave(clientId));
    done();
  });
  app.addHook('onClose', async () => shedder.close());
  return shedder;
}

/** Who asks, before it is known who that is: a key that is false costs little. */
function clientIdOf({ headers, ip }: FastifyRequest): string {
  return headers.authorization ?? rateSubject(ip);
}
