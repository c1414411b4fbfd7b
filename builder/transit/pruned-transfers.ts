/**
 * The calls of trips, and their ranks: trip `t` has calls `firstCall[t]` to `firstCall[t + 1]`,
 * exclusive.
 */
interface Calls {
  readonly firstCall: Int32Array;
  readonly rankOf: Int32Array;
}

/**
 * The ranks that lead to rank `p`: `sources[firstSource[p]]` to `sources[firstSource[p + 1]]`,
 * exclusive.
 */
interface Ways {
  readonly firstSource: Int32Array;
  readonly sources: Int32Array;
}

/**
 * Removes redundant connections between calls. A connection from one call to another is redundant
 * if a third call leads to the second and is reached from the trip of the first, at the first call
 * or later. A rider who arrives at the first call then arrives at the second without the
 * connection, with no earlier departure, so the labels stay the same. This is the transitive
 * reduction of Aho, Garey and Ullman (1972), as far as a single intermediate call reveals it. All
 * redundant connections can be removed at once, since every detour consists of connections that are
 * shorter in the order. Connections backwards in the order, and those with a detour only via such
 * connections, are kept.
 */
export function prunedTransfers(calls: Calls, { firstSource, sources }: Ways): Ways {
  const { tripOf, positionOf } = callsByRank(calls);
  const kept = new Int32Array(sources.length);
  const firstKept = new Int32Array(firstSource.length);
  const trips = new LastPositions(calls.firstCall.length - 1);
  let count = 0;
  for (let rank = 0; rank + 1 < firstSource.length; rank++) {
    const [first, end] = [firstSource[rank], firstSource[rank + 1]];
    for (let i = first; i < end; i++) {
      const between = sources[i];
      if (between >= rank) continue;
      for (let j = firstSource[between]; j < firstSource[between + 1]; j++) {
        if (sources[j] < between) trips.raise(tripOf[sources[j]], positionOf[sources[j]]);
      }
    }
    for (let i = first; i < end; i++) {
      const from = sources[i];
      const isNeeded = from >= rank || trips.last[tripOf[from]] < positionOf[from];
      if (isNeeded) kept[count++] = from;
    }
    firstKept[rank + 1] = count;
    trips.clear();
  }
  return { firstSource: firstKept, sources: kept.slice(0, count) };
}

/** The last position of each trip that leads to the current rank via another call. */
class LastPositions {
  /** The last position per trip; -1 for none. */
  readonly last: Int32Array;
  readonly #touched: Int32Array;
  #count = 0;

  constructor(trips: number) {
    this.last = new Int32Array(trips).fill(-1);
    this.#touched = new Int32Array(trips);
  }

  raise(trip: number, position: number): void {
    if (this.last[trip] < 0) this.#touched[this.#count++] = trip;
    if (this.last[trip] < position) this.last[trip] = position;
  }

  clear(): void {
    for (let i = 0; i < this.#count; i++) this.last[this.#touched[i]] = -1;
    this.#count = 0;
  }
}

/** Finds the trip of each rank, and the position of its call in that trip. */
function callsByRank({ firstCall, rankOf }: Calls) {
  const tripOf = new Int32Array(rankOf.length);
  const positionOf = new Int32Array(rankOf.length);
  for (let trip = 0; trip + 1 < firstCall.length; trip++) {
    for (let call = firstCall[trip]; call < firstCall[trip + 1]; call++) {
      tripOf[rankOf[call]] = trip;
      positionOf[rankOf[call]] = call - firstCall[trip];
    }
  }
  return { tripOf, positionOf };
}
