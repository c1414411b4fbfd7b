/** Whom work is done for: an account. */
export type Asker = string;

/** What is done once for all who may ask. */
export const EVERYBODY: Asker = 'everybody';

/** Those whom work is done for: one, or all who have asked for the same. */
export type Askers = Asker | Party;

/** Who waits for the same thing. What is done for them goes on in the turn of any of them. */
export class Party {
  readonly #members = new Set<Askers>();

  constructor(first: Askers) {
    this.join(first);
  }

  join(askers: Askers): void {
    this.#members.add(askers);
  }

  *[Symbol.iterator](): Generator<Asker> {
    for (const askers of this.#members) {
      if (typeof askers === 'string') yield askers;
      else yield* askers;
    }
  }
}

/** So many newcomers go first before it is the turn of one who has been served. */
const MOST_IN_A_ROW = 32;

/**
 * What waits, by who has asked for it. Askers are served by turns, one thing at a time, so that
 * nobody waits for all that another wants; and one who has just come before those who have been
 * served, as flow queueing does with packets (RFC 8290, section 4.2), but not without end. What one
 * asker wants leaves in the order in which it came.
 */
export class FairQueue<T extends object> {
  readonly #newcomers = new Map<Asker, T[]>();
  /**
   * Those served, who was longest ago first. One who wants nothing more stays until it would be the
   * turn, and is no newcomer before: else to ask for one thing at a time would be to go first always.
   */
  readonly #served = new Map<Asker, T[]>();
  /** Newcomers that went before those who have been served. */
  #inARow = 0;
  /** What stands in several lines, and what has left one of them and is no more in the others. */
  readonly #inSeveral = new WeakSet<T>();
  readonly #gone = new WeakSet<T>();

  push(askers: Askers, wanted: T): void {
    if (typeof askers === 'string') {
      this.#pushTo(askers, wanted);
      return;
    }
    this.#inSeveral.add(wanted);
    for (const asker of new Set(askers)) this.#pushTo(asker, wanted);
  }

  #pushTo(asker: Asker, wanted: T): void {
    const line = this.#newcomers.get(asker) ?? this.#served.get(asker);
    if (line) line.push(wanted);
    else this.#newcomers.set(asker, [wanted]);
  }

  /** Takes what comes next, of those askers who may go on. */
  shift(mayGo: (asker: Asker) => boolean = anybody): T | undefined {
    if (this.#inARow < MOST_IN_A_ROW) {
      const newcome = this.#shiftFrom(this.#newcomers, mayGo);
      if (newcome !== undefined) {
        this.#inARow++;
        return newcome;
      }
    }
    this.#inARow = 0;
    return this.#shiftFrom(this.#served, mayGo) ?? this.#shiftFrom(this.#newcomers, mayGo);
  }

  #shiftFrom(lines: Map<Asker, T[]>, mayGo: (asker: Asker) => boolean): T | undefined {
    for (const [asker, line] of lines) {
      if (line.length > 0 && !mayGo(asker)) continue;
      lines.delete(asker);
      const wanted = this.#firstOf(line);
      if (wanted === undefined) continue;
      this.#served.set(asker, line);
      return wanted;
    }
    return undefined;
  }

  #firstOf(line: T[]): T | undefined {
    for (;;) {
      const wanted = line.shift();
      if (wanted === undefined || !this.#inSeveral.has(wanted)) return wanted;
      if (this.#gone.has(wanted)) continue;
      this.#gone.add(wanted);
      return wanted;
    }
  }
}

const anybody = () => true;
