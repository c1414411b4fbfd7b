/**
 * Door-to-door times by public transit, computed by brute force: every call of every vehicle is an
 * event, and the events from a departure on are scanned in time order, for each departure and each
 * origin. No rounds over routes, no reuse between departures, no pruning. Shares no code with the
 * builder; the model's constants are restated independently.
 *
 * All times are milliseconds; clock times count from local midnight of the service day.
 */
const MINUTE = 60_000;
const WALK_LIMIT = 30 * MINUTE;
/** 1,000 m at 4.8 km/h. */
const TRANSFER_LIMIT = 12.5 * MINUTE;
const BOARD_SLACK = 60_000;
/** From 08:00 to 08:59, and the tenth percentile of the times: the ⌈0.10 · 60⌉th. */
const AM: Window = { opens: 8 * 60, departures: 60, rank: 6 };

/** Departures at each minute of the day from `opens`, and the rank of a time among theirs. */
export interface Window {
  readonly opens: number;
  readonly departures: number;
  readonly rank: number;
}

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

/** A pair of runs, by index, of which the vehicle of the first continues as the second. */
export type InSeat = readonly [from: number, to: number];

/** A rule of `transfers.txt` for going from one stop to another. */
export interface TransferRule {
  readonly from: number;
  readonly to: number;
  /** `transfer_type`: 1 if the vehicle waits, 2 if there is a minimum time, 3 if not possible. */
  readonly type: 1 | 2 | 3;
  /**
   * `min_transfer_time`: the time that "must be available to permit a transfer", "including buffer
   * time".
   */
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
  /** [stop]: from the street to the platform, or back; none by default. */
  readonly levels?: readonly number[];
  /** [stop][stop]: inside a station, from platform to platform. */
  readonly inside?: readonly (readonly number[])[];
}

/** A call at which to board, with the vehicle's next call. */
interface Hop {
  readonly run: number;
  readonly from: Call;
  readonly to: Call;
}

/**
 * The time to each target of a rank among the departures of a window: [origin][target], Infinity
 * where too few departures arrive.
 */
export function transitTimes(
  runs: readonly Run[],
  rules: readonly TransferRule[],
  walks: Walks,
  inSeat: readonly InSeat[] = [],
  { opens, departures: count, rank } = AM,
): number[][] {
  const hops = hopsByTime(runs);
  // Earlier calls cannot be boarded.
  const departures = Array.from({ length: count }, (_, nth) => {
    const departure = (opens + nth) * MINUTE;
    return { departure, later: hops.filter(({ from }) => from.departs >= departure) };
  });
  const after = new Map<Call, number[]>();
  for (const [from, to] of inSeat) {
    const last = runs[from].at(-1)!;
    after.set(last, [...(after.get(last) ?? []), to]);
  }
  const levels = walks.levels ?? walks.between.map(() => 0);
  const transfers = transfersFrom(walks, levels, rules);
  const waysTo = waysFromStops(walks, levels);
  return walks.access.map((toDoors, origin) => {
    const access = toDoors.map((walk, stop) => walk + levels[stop]);
    const byDeparture = departures.map(({ departure, later }) => {
      const alighted = earliestAlighting(runs, later, transfers, access, departure, after);
      return walks.direct[origin].map((direct, target) =>
        waysTo[target].reduce(
          (least, { stop, egress }) => Math.min(least, alighted[stop] + egress - departure),
          direct,
        ),
      );
    });
    return walks.direct[origin].map((_, target) => {
      const times = byDeparture.map((byTarget) => byTarget[target]);
      return times.sort((a, b) => (a === b ? 0 : a - b))[rank - 1];
    });
  });
}

/** The stops from which each target can be reached on foot, with the time from the vehicle. */
function waysFromStops({ egress, direct }: Walks, levels: readonly number[]) {
  return (direct[0] ?? []).map((_, target) =>
    egress.flatMap((toTargets, stop) => {
      const time = levels[stop] + toTargets[target];
      return time <= WALK_LIMIT ? [{ stop, egress: time }] : [];
    }),
  );
}

/**
 * First time of alighting at each stop; Infinity for never. A transfer may take no time, so an
 * event that enables a boarding may come after it among events of one instant. The scan is
 * therefore repeated until nothing changes.
 */
function earliestAlighting(
  runs: readonly Run[],
  hops: readonly Hop[],
  transfers: readonly (readonly { to: number; time: number }[])[],
  access: readonly number[],
  departure: number,
  /** The continuations of runs, by their last calls. */
  after: ReadonlyMap<Call, readonly number[]>,
): number[] {
  const alighted = access.map(() => Infinity);
  /** The first departure that can be caught from each stop, coming from the origin or a vehicle. */
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
  /** Runs that a rider is aboard before they begin. */
  const seated = new Set<number>();
  for (let changed = true; changed; ) {
    changed = false;
    const aboard = new Uint8Array(runs.length);
    for (const run of seated) aboard[run] = 1;
    for (const { run, from, to } of hops) {
      if (from.mayBoard && ready[from.stop] <= from.departs) aboard[run] = 1;
      if (!aboard[run]) continue;
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

/** Pairs of consecutive calls, sorted by departure from the first; those of a run stay in order. */
function hopsByTime(runs: readonly Run[]): Hop[] {
  const hops = runs.flatMap((calls, run) =>
    calls.slice(1).map((to, i) => ({ run, from: calls[i], to })),
  );
  // The sort is stable, and the calls of a run do not go back in time.
  return hops.sort((a, b) => a.from.departs - b.from.departs);
}

/**
 * Times from arriving at each stop to the first departure that can be caught at another stop, or at
 * the same one.
 */
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
      // A minimum transfer time already includes the levels of the station.
      const withoutLevels = from === to ? 0 : Math.min(onStreet, within);
      const onFoot = from === to ? 0 : Math.min(levels[from] + onStreet + levels[to], within);
      if (withoutLevels === Infinity || rule?.type === 3) return [];
      if (rule?.type === 1) return [{ to, time: onFoot }];
      return [{ to, time: rule ? Math.max(withoutLevels, rule.least) : onFoot + BOARD_SLACK }];
    }),
  );
}
