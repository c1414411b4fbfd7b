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

/** Runs, by their number, of which the vehicle of the first becomes that of the second. */
export type InSeat = readonly [from: number, to: number];

/** What `transfers.txt` says of going from one stop to another. */
export interface TransferRule {
  readonly from: number;
  readonly to: number;
  /** `transfer_type`, of which a vehicle waits for 1, 2 takes a time and 3 is not possible. */
  readonly type: 1 | 2 | 3;
  /** `min_transfer_time`: what "must be available to permit a transfer", "including buffer time". */
  readonly least: number;
}

/** Walking times along the streets in milliseconds; Infinity where there is no way. */
export interface Walks {
  /** [origin][stop] */
  readonly access: readonly (readonly number[])[];
  /** [stop][stop] */
  readonly between: readonly (readonly number[])[];
  /** [stop][target] */
  readonly egress: readonly (readonly number[])[];
  /** [origin][target] */
  readonly direct: readonly (readonly number[])[];
  /** [stop]: from the street to the platform, or back; none without. */
  readonly levels?: readonly number[];
  /** [stop][stop]: inside a station, from platform to platform. */
  readonly inside?: readonly (readonly number[])[];
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
  inSeat: readonly InSeat[] = [],
): number[][] {
  const hops = hopsByTime(runs);
  const after = new Map<Call, number[]>();
  for (const [from, to] of inSeat) {
    const last = runs[from].at(-1)!;
    after.set(last, [...(after.get(last) ?? []), to]);
  }
  const levels = walks.levels ?? walks.between.map(() => 0);
  const transfers = transfersFrom(walks, levels, rules);
  return walks.access.map((toDoors, origin) => {
    const access = toDoors.map((walk, stop) => walk + levels[stop]);
    const byDeparture = DEPARTURES.map((departure) => {
      const alighted = earliestAlighting(runs, hops, transfers, access, departure, after);
      return walks.direct[origin].map((direct, target) => {
        const byRide = alighted.map((at, stop) => {
          const egress = levels[stop] + walks.egress[stop][target];
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

/**
 * When one first steps out of a vehicle at each stop; Infinity for never. A change may take no
 * time, so that what makes a boarding possible may come after it among events of one instant: they
 * are gone through until nothing changes.
 */
function earliestAlighting(
  runs: readonly Run[],
  hops: readonly Hop[],
  transfers: readonly (readonly { to: number; time: number }[])[],
  access: readonly number[],
  departure: number,
  /** By their last calls: what runs become. */
  after: ReadonlyMap<Call, readonly number[]>,
): number[] {
  const alighted = access.map(() => Infinity);
  /** The first departure from each stop that one catches, coming from the origin or a vehicle. */
  const ready = access.map((walk) =>
    walk <= WALK_LIMIT ? departure + walk + BOARD_SLACK : Infinity,
  );
  const stepOut = (call: Call) => {
    if (!call.mayAlight || call.arrives >= alighted[call.stop]) return false;
    alighted[call.stop] = call.arrives;
    for (const { to, time } of transfers[call.stop]) {
      ready[to] = Math.min(ready[to], call.arrives + time);
    }
    return true;
  };
  /** Runs that one is aboard of before they begin. */
  const seated = new Set<number>();
  for (let changed = true; changed; ) {
    changed = false;
    const aboard = new Set(seated);
    for (const { run, from, to } of hops) {
      if (from.mayBoard && ready[from.stop] <= from.departs) aboard.add(run);
      if (!aboard.has(run)) continue;
      if (stepOut(to)) changed = true;
      for (const next of after.get(to) ?? []) {
        if (seated.has(next)) continue;
        seated.add(next);
        stepOut(runs[next][0]);
        changed = true;
      }
    }
  }
  return alighted;
}

/** Every pair of calls that follow each other, by when the first is left; of one run in its order. */
function hopsByTime(runs: readonly Run[]): Hop[] {
  const hops = runs.flatMap((calls, run) =>
    calls.slice(1).map((to, i) => ({ run, from: calls[i], to })),
  );
  // The sort is stable, and the calls of a run do not go back in time.
  return hops.sort((a, b) => a.from.departs - b.from.departs);
}

/** From arriving at each stop to the first departure one catches at another, or at itself. */
function transfersFrom(
  { between, inside }: Walks,
  levels: readonly number[],
  rules: readonly TransferRule[],
) {
  const ruleOf = new Map(rules.map((rule) => [`${rule.from} ${rule.to}`, rule]));
  return between.map((walks, from) =>
    walks.flatMap((walk, to) => {
      const rule = ruleOf.get(`${from} ${to}`);
      const within = inside?.[from][to] ?? Infinity;
      const onStreet = walk <= TRANSFER_LIMIT ? walk : Infinity;
      // Who sets a least time knows the levels of the station.
      const withoutLevels = from === to ? 0 : Math.min(onStreet, within);
      const onFoot = from === to ? 0 : Math.min(levels[from] + onStreet + levels[to], within);
      if (withoutLevels === Infinity || rule?.type === 3) return [];
      if (rule?.type === 1) return [{ to, time: onFoot }];
      return [{ to, time: rule ? Math.max(withoutLevels, rule.least) : onFoot + BOARD_SLACK }];
    }),
  );
}
