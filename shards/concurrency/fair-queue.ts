/** Identifies the client that work is done for: an account. */
export type ClientId = string;

export const SHARED: ClientId = 'shared';

/** This many new clients go first before a client that has already been served. */
const MAX_IN_A_ROW = 32;

/**
 * A queue that is fair between clients. Clients are served round-robin, one item at a time, so that
 * no client waits for all of another's items. A new client goes before those already served, as in
 * flow queueing (RFC 8290, section 4.2), up to a bound. Items of one client leave in order of
 * arrival.
 */
export class FairQueue<T extends object> {
  readonly #newcomers = new Map<ClientId, T[]>();
  /**
   * Clients already served, least recently served first. A client with no items left keeps its
   * place until its turn comes and does not count as new before then; otherwise a client that
   * queues one item at a time would always go first.
   */
  readonly #served = new Map<ClientId, T[]>();
  /** New clients served in a row ahead of those already served. */
  #inARow = 0;
  /**
   * Items queued under several clients; `#gone` has those already removed from one of their lines.
   */
  readonly #inSeveral = new WeakSet<T>();
  readonly #gone = new WeakSet<T>();

  /** Queues an item for a client, or for several: it leaves at the first turn of any of them. */
  push(clients: ClientId | Iterable<ClientId>, item: T): void {
    if (typeof clients === 'string') {
      this.#pushTo(clients, item);
      return;
    }
    this.#inSeveral.add(item);
    for (const clientId of new Set(clients)) this.#pushTo(clientId, item);
  }

  #pushTo(clientId: ClientId, item: T): void {
    const line = this.#newcomers.get(clientId) ?? this.#served.get(clientId);
    if (line) line.push(item);
    else this.#newcomers.set(clientId, [item]);
  }

  shift(mayGo: (clientId: ClientId) => boolean = allowAll): T | undefined {
    if (this.#inARow < MAX_IN_A_ROW) {
      const item = this.#shiftFrom(this.#newcomers, mayGo);
      if (item !== undefined) {
        this.#inARow++;
        return item;
      }
    }
    this.#inARow = 0;
    return this.#shiftFrom(this.#served, mayGo) ?? this.#shiftFrom(this.#newcomers, mayGo);
  }

  #shiftFrom(lines: Map<ClientId, T[]>, mayGo: (clientId: ClientId) => boolean): T | undefined {
    for (const [clientId, line] of lines) {
      if (line.length > 0 && !mayGo(clientId)) continue;
      lines.delete(clientId);
      const item = this.#firstOf(line);
      if (item === undefined) continue;
      this.#served.set(clientId, line);
      return item;
    }
    return undefined;
  }

  #firstOf(line: T[]): T | undefined {
    for (;;) {
      const item = line.shift();
      if (item === undefined || !this.#inSeveral.has(item)) return item;
      if (this.#gone.has(item)) continue;
      this.#gone.add(item);
      return item;
    }
  }
}

const allowAll = () => true;
