import { sumCounts } from '../../shards/arrays/prefix-sums.ts';
import type { Timetable } from '../../shards/transit/timetable.ts';
import type { Millis } from '../../shards/units.ts';
import { prunedTransfers } from './pruned-transfers.ts';
import type { TripTransfers } from './trip-transfers.ts';

/**
 * The calls of all trips in order of arrival, and for each the calls that lead to it. A call leads
 * to those where its riders may arrive next: the trip's next call, the call after boarding another
 * trip by a transfer, and the first call of a trip that this trip continues as. The `n`th call in
 * this order has rank `n`.
 */
export interface CallOrder {
  readonly arrival: Int32Array;
  readonly pattern: Int32Array;
  /**
   * The ranks that lead to rank `p`: `sources[firstSource[p]]` to `sources[firstSource[p + 1]]`,
   * exclusive.
   */
  readonly firstSource: Int32Array;
  readonly sources: Int32Array;
  /**
   * Half-open ranges of ranks, as pairs of bounds, that are scanned until nothing changes. Where
   * vehicles wait for each other and take no time, a rank may lead to an earlier one.
   */
  readonly repeated: Int32Array;
  /**
   * The patterns that pattern `p` leads to: `next[firstNext[p]]` to `next[firstNext[p + 1]]`,
   * exclusive.
   */
  readonly firstNext: Int32Array;
  readonly next: Int32Array;
  /** The stop of each rank, or `NO_ALIGHTING`. */
  readonly stop: Int32Array;
  /**
   * The number of each trip's first call, counted across all trips, and the rank of each call by
   * its number.
   */
  readonly firstCall: Int32Array;
  readonly rankOf: Int32Array;
}

export function buildCallOrder(timetable: Timetable, transfers: TripTransfers): CallOrder {
  const { firstCall, patternOf, start, calls } = transfers;
  const count = start.length;
  const order = inOrder(count, (call) => calls[start[call]]);
  const rankOf = new Int32Array(count);
  order.forEach((call, rank) => {
    rankOf[call] = rank;
  });
  const patternOfCall = new Int32Array(count);
  for (let trip = 0; trip < patternOf.length; trip++) {
    patternOfCall.fill(patternOf[trip], firstCall[trip], firstCall[trip + 1]);
  }
  const arrival = order.map((call) => calls[start[call]]);
  const stop = order.map((call) => calls[start[call] + 1]);
  const pattern = order.map((call) => patternOfCall[call]);
  const ways = grouped(count, (add) => {
    eachWay(timetable, transfers, (from, to) => add(rankOf[to], rankOf[from]));
  });
  const { firstSource, sources } = prunedTransfers(
    { firstCall, rankOf },
    { firstSource: ways.first, sources: ways.list },
  );
  return {
    arrival,
    pattern,
    firstSource,
    sources,
    stop,
    firstCall,
    rankOf,
    ...patternsByPattern(timetable.patternCount, { pattern, firstSource, sources }),
    repeated: repeatedRanges(firstSource, sources),
  };
}

/**
 * Sorts calls by time. Simultaneous calls are sorted by number, so that those of a trip stay
 * consecutive.
 */
function inOrder(count: number, time: (call: number) => Millis): Int32Array {
  const keys = Float64Array.from({ length: count }, (_, call) => time(call) * count + call).sort();
  return Int32Array.from(keys, (key) => key - Math.floor(key / count) * count);
}

/** Reports every pair of a call and a call that it leads to. */
function eachWay(timetable: Timetable, transfers: TripTransfers, emit: Emit): void {
  const { firstTrip, firstContinuation, continuations } = timetable;
  const { firstCall, start, calls, patternOf } = transfers;
  for (let trip = 0; trip < patternOf.length; trip++) {
    const end = firstCall[trip + 1];
    for (let call = firstCall[trip]; call < end; call++) {
      if (call + 1 < end) emit(call, call + 1);
      const first = start[call] + 3;
      for (let at = first; at < first + calls[first - 1]; at++) {
        eachChange(timetable, transfers, calls[at], (into) => emit(call, into));
      }
    }
    for (let link = firstContinuation[trip]; link < firstContinuation[trip + 1]; link++) {
      emit(end - 1, firstCall[firstTrip[continuations[2 * link]] + continuations[2 * link + 1]]);
    }
  }
}

type Emit = (from: number, to: number) => void;

/**
 * Reports the calls that a transfer leads to. There is only one, unless riders may stay seated when
 * the trip continues as another. In that case it matters which trip of the pattern they are in, and
 * they may wait for any later one.
 */
function eachChange(
  { firstTrip, hasContinuations }: Timetable,
  { firstCall, patternOf, positionBits }: TripTransfers,
  change: number,
  emit: (into: number) => void,
): void {
  const trip = change >>> positionBits;
  const next = (change & ((1 << positionBits) - 1)) + 1;
  const pattern = patternOf[trip];
  const end = hasContinuations[pattern] ? firstTrip[pattern + 1] : trip + 1;
  for (let later = trip; later < end; later++) emit(firstCall[later] + next);
}

/**
 * Lists the numbers of each group in the order in which `fill` adds them. `fill` is called twice
 * and must add the same numbers both times.
 */
function grouped(groups: number, fill: (add: (group: number, one: number) => void) => void) {
  const first = new Int32Array(groups + 1);
  fill((group) => {
    first[group + 1]++;
  });
  sumCounts(first);
  const next = first.slice();
  const list = new Int32Array(first[groups]);
  fill((group, one) => {
    list[next[group]++] = one;
  });
  return { first, list };
}

function patternsByPattern(
  patternCount: number,
  { pattern, firstSource, sources }: Pick<CallOrder, 'pattern' | 'firstSource' | 'sources'>,
) {
  const leads = Array.from({ length: patternCount }, () => new Set<number>());
  for (let rank = 0; rank < pattern.length; rank++) {
    for (let at = firstSource[rank]; at < firstSource[rank + 1]; at++) {
      leads[pattern[sources[at]]].add(pattern[rank]);
    }
  }
  const { first: firstNext, list: next } = grouped(patternCount, (add) => {
    leads.forEach((to, from) => {
      for (const one of to) add(from, one);
    });
  });
  return { firstNext, next };
}

/** Finds the ranges from ranks to later ranks that lead to them, merging those that overlap. */
function repeatedRanges(firstSource: Int32Array, sources: Int32Array): Int32Array {
  const repeated: number[] = [];
  for (let rank = 0; rank + 1 < firstSource.length; rank++) {
    let end = 0;
    for (let at = firstSource[rank]; at < firstSource[rank + 1]; at++) {
      if (sources[at] > rank) end = Math.max(end, sources[at] + 1);
    }
    if (end === 0) continue;
    if (repeated.length > 0 && rank < repeated[repeated.length - 1]) {
      repeated[repeated.length - 1] = Math.max(end, repeated[repeated.length - 1]);
    } else repeated.push(rank, end);
  }
  return Int32Array.from(repeated);
}
