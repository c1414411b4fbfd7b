/**
 * Door-to-door times by public transit, worked out the plain way: every call of every vehicle is an
 * event, the events of the day are gone through once in the order of time, for one departure and
 * one origin after the other. No rounds over routes, no reuse between departures, no pruning.
 * Shares no code with the builder; the numbers of the model are stated anew.
 *
 * All times are milliseconds; those of a clock count from local midnight of the service day.
 */
const MINUTE = 60_000;
const WALK_LIMIT = 30 * MINUTE;
/** 1,000 m at 4.8 km/h. */
const TRANSFER_LIMIT = 12.5 * MINUTE;
const BOARD_SLACK = 60_000;
const DEPARTURES = Array.from({ length: 60 }, (_, minute) => (8 * 60 + minute) * MINUTE);
/** ⌈0.10 · 60⌉ − 1 */
const RANK = 5;

/** A vehicle at a stop. */
export interface Call {
  readonly stop: number;
  readonly arrives: number;
  readonly departs: number;
  readonly mayBoard: boolean;
  readonly mayAlight: boolean;
}

/** A vehicle's run: its calls in order. */
export type Run = readonly Call[];

/** What `transfers.txt` says of going from one stop to another. */
export interface TransferRule {
  readonly from: number;
  readonly to: number;
  /** Null forbids the transfer. */
  readonly least: number | null;
}

/** Walking times in milliseconds; Infinity where there is no way. */
export interface Walks {
  /** [origin][stop] */
  readonly access: readonly (readonly number[])[];
  /** [stop][stop] */
  readonly between: readonly (readonly number[])[];
  /** [stop][target] */
  readonly egress: readonly (readonly number[])[];
  /** [origin][target] */
  readonly direct: readonly (readonly number[])[];
}

/** A call to leave a stop at, with the one that the vehicle makes next. */
interface Hop {
  readonly run: number;
  readonly from: Call;
  readonly to: Call;
}

/**
 * The tenth percentile of the time to each target over the departures 08:00 to 08:59:
 * [origin][target], Infinity where most departures never arrive.
 */
export function transitTimes(
  runs: readonly Run[],
  rules: readonly TransferRule[],
  walks: Walks,
): number[][] {
  const hops = hopsByTime(runs);
  const transfers = transfersFrom(walks.between, rules);
  return walks.access.map((access, origin) => {
    const byDeparture = DEPARTURES.map((departure) => {
      const alighted = earliestAlighting(hops, transfers, access, departure);
      return walks.direct[origin].map((direct, target) => {
        const byRide = alighted.map((at, stop) => {
          const egress = walks.egress[stop][target];
          return egress <= WALK_LIMIT ? at + egress - departure : Infinity;
        });
        return byRide.reduce((least, time) => Math.min(least, time), direct);
      });
    });
    return walks.direct[origin].map((_, target) => {
      const times = byDeparture.map((byTarget) => byTarget[target]);
      return times.sort((a, b) => (a === b ? 0 : a - b))[RANK];
    });
  });
}

/** When one first steps out of a vehicle at each stop; Infinity for never. */
function earliestAlighting(
  hops: readonly Hop[],
  transfers: readonly (readonly { to: number; time: number }[])[],
  access: readonly number[],
  departure: number,
): number[] {
  const alighted = access.map(() => Infinity);
  /** When one first stands at each stop, having walked there from the origin or a vehicle. */
  const ready = access.map((walk) => (walk <= WALK_LIMIT ? departure + walk : Infinity));
  const aboard = new Set<number>();
  for (const { run, from, to } of hops) {
    if (from.mayBoard && ready[from.stop] + BOARD_SLACK <= from.departs) aboard.add(run);
    if (!aboard.has(run) || !to.mayAlight) continue;
    alighted[to.stop] = Math.min(alighted[to.stop], to.arrives);
    for (const { to: stop, time } of transfers[to.stop]) {
      ready[stop] = Math.min(ready[stop], to.arrives + time);
    }
  }
  return alighted;
}

/**
 * Every pair of calls that follow each other, by when the first is left; of one run in its order.
 * A vehicle is boarded at least `BOARD_SLACK` after the last was left, so whatever makes a boarding
 * possible comes before it here.
 */
function hopsByTime(runs: readonly Run[]): Hop[] {
  const hops = runs.flatMap((calls, run) =>
    calls.slice(1).map((to, i) => ({ run, from: calls[i], to })),
  );
  // The sort is stable, and the calls of a run do not go back in time.
  return hops.sort((a, b) => a.from.departs - b.from.departs);
}

/** The ways from each stop to one where another vehicle is boarded, itself among them. */
function transfersFrom(between: Walks['between'], rules: readonly TransferRule[]) {
  const ruleOf = new Map(rules.map((rule) => [`${rule.from} ${rule.to}`, rule]));
  return between.map((walks, from) =>
    walks.flatMap((walk, to) => {
      const rule = ruleOf.get(`${from} ${to}`);
      const onFoot = from === to ? 0 : walk;
      if (onFoot > TRANSFER_LIMIT || rule?.least === null) return [];
      return [{ to, time: Math.max(onFoot, rule?.least ?? 0) }];
    }),
  );
}
