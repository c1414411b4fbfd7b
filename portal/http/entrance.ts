import type { FastifyInstance } from 'fastify';
import { type Asker, FairQueue } from '../../shards/fair-queue.ts';
import type { Millis } from '../../shards/units.ts';
import { rateSubject } from './rate-subject.ts';

/** How long requests may be begun in one turn of the event loop before what is under way goes on. */
const SLICE_MS: Millis = 4;

/**
 * Lets requests begin, so many in a turn of the event loop as there is time for; the others wait, and
 * enter by turns of who asks. Else a turn would be as long as there are connections with something to
 * say, and each answer takes several turns: one who sends much on many would hold up everybody.
 */
export class Entrance {
  #waiting = new FairQueue<() => void>();
  #count = 0;
  /** When the slice of this turn is used up; 0 while nothing has begun in it. */
  #sliceEndsMs: Millis = 0;

  /** Calls `begin`, now or in a later turn; only then it matters who asks. */
  pass(askerOf: () => Asker, begin: () => void): void {
    if (this.#count === 0 && this.#hasTime()) {
      begin();
      return;
    }
    this.#waiting.push(askerOf(), begin);
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
export function enterByTurns(app: FastifyInstance): void {
  const entrance = new Entrance();
  app.addHook('onRequest', (request, reply, done) => {
    const begin = () => {
      // Whoever has left meanwhile takes no part, of the loop or of a rate.
      if (request.raw.socket.destroyed) reply.hijack();
      else done();
    };
    entrance.pass(() => rateSubject(request.ip), begin);
  });
}
