import { type ArrivalListener, LANES } from '../../builder/transit/lane-search.ts';
import type { Dice } from './dice.ts';

interface Window {
  readonly stopCount: number;
  readonly opens: number;
  readonly departures: number;
  readonly step: number;
}

/**
 * Calls a listener with random arrivals of some lanes, in the order of arrivals. Returns, by stop
 * and lane, the time that each departure takes.
 */
export function drawArrivals(
  dice: Dice,
  { stopCount, opens, departures, step }: Window,
  listener: ArrivalListener,
): Map<number, number>[][] {
  const busy = Array.from({ length: LANES }, () => dice.chance(0.3));
  return Array.from({ length: stopCount }, (_, stop) =>
    busy.map((isBusy, lane) => {
      const times = new Map<number, number>();
      let arrival = opens;
      for (let first = 0; isBusy && dice.chance(0.9); ) {
        const last = first + dice.below(12);
        if (last >= departures) break;
        arrival = Math.max(arrival, opens + last * step) + dice.below(30);
        listener.arrive(stop, lane, arrival, first, last);
        for (let departure = first; departure <= last; departure++) {
          times.set(departure, arrival - opens - departure * step);
        }
        first = last + 1;
      }
      return times;
    }),
  );
}
