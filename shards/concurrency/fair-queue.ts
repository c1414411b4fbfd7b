/** Whom work is done for: an account. */
export type ClientId = string;

/** What is done once for all who may ask. */
export const SHARED: ClientId = 'everybody';

/** Those whom work is done for: one, or all who have asked for the same. */
export type Waiters = ClientId | WaitingGroup;

/** Who waits for the same thing. What is done for them goes on in the turn of any of them. */
export class WaitingGroup {
  readonly #members = new Set<Waiters>();

  constructor(first: Waiters) {
    this.join(first);
  }

  join(waiters: Waiters): void {
    this.#members.add(waiters);
  }

  *[Symbol.iterator](): Generator<ClientId> {
    for (const waiters of this.#members) {
      if (typeof waiters === 'string') yield waiters;
      else yield* waiters;
    }
  }
}

/** So many newcomers go first before it is the turn of one who has been served. */
const MAX_IN_A_ROW = 32;

/**
 * What waits, by who has asked for it. Askers are served by turns, one thing at a time, so that
 * nobody waits for all that another wants; and one who has just come before those who have been
 * served, as flow queueing does with packets (RFC 8290, section 4.2), but not without end. What one
 * asker wants leaves in the order in which it came.
 */
export class FairQueue<T extends object> {
  readonly #newcomers = new Map<ClientId, T[]>();
  /**
   * Those served, who was longest ago first. One who wants nothing more stays until it would be the
   * turn, and is no newcomer before: else to ask for one thing at a time would be to go first always.
   */
  readonly #served = new Map<ClientId, T[]>();
  /** Newcomers that went before those who have been served. */
  #inARow = 0;
  /** What stands in several lines, and what has left one of them and is no more in the others. */
  readonly #inSeveral = new WeakSet<T>();
  readonly #gone = new WeakSet<T>();

  push(waiters: Waiters, wanted: T): void {
    if (typeof waiters === 'string') {
      this.#pushTo(waiters, wanted);
      return;
    }
    this.#inSeveral.add(wanted);
    for (const clientId of new Set(waiters)) this.#pushTo(clientId, wanted);
  }

  #pushTo(clientId: ClientId, wanted: T): void {
    const line = this.#newcomers.get(clientId) ?? this.#served.get(clientId);
    if (line) line.push(wanted);
    else this.#newcomers.set(clientId, [wanted]);
  }

  /** Takes what comes next, of those askers who may go on. */
  shift(mayGo: (clientId: ClientId) => boolean = anybody): T | undefined {
    if (this.#inARow < MAX_IN_A_ROW) {
      const newcome = this.#shiftFrom(this.#newcomers, mayGo);
      if (newcome !== undefined) {
        this.#inARow++;
        return newcome;
      }
    }
    this.#inARow = 0;
    return this.#shiftFrom(this.#served, mayGo) ?? this.#shiftFrom(this.#newcomers, mayGo);
  }

  #shiftFrom(lines: Map<ClientId, T[]>, mayGo: (clientId: ClientId) => boolean): T | undefined {
    for (const [clientId, line] of lines) {
      if (line.length > 0 && !mayGo(clientId)) continue;
      lines.delete(clientId);
      const wanted = this.#firstOf(line);
      if (wanted === undefined) continue;
      this.#served.set(clientId, line);
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
