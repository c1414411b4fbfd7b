import type { Geoid } from '../../../shards/geoid.ts';
import type { Mode } from '../../../shards/modes.ts';
import type { DestId } from '../../../shards/units.ts';
import { Columns, NO_COLUMNS } from '../../formats/columns.ts';
import type { RowFormat, Rows } from '../../formats/rows.ts';
import type { Leg } from './journey.ts';
import { type ExplainedTrip, SPREAD_PERCENTILES, type Spread } from './window-trips.ts';

export interface TripRow extends ExplainedTrip {
  readonly block: Geoid;
  readonly to: Geoid | DestId;
  readonly mode: Mode;
  readonly departure: string;
}

const FACTS = {
  block: { type: 'string' },
  to: { type: 'string' },
  mode: { type: 'string' },
  departure: { type: 'string' },
  travel_time: { type: 'double' },
  departs: { type: 'string' },
  transfers: { type: 'int32' },
} as const;

const TRIP = new Columns<TripRow>({
  ...FACTS,
  legs: { type: 'string' },
  spread: { type: 'string' },
});

/** The facts of a trip, which each row of a leg repeats. */
const TRIP_OF_LEG = new Columns<TripRow>(FACTS);

const SPREAD = new Columns<TripRow>({
  spread: {
    type: {
      departures: 'int32',
      as_fast: 'int32',
      ...Object.fromEntries(SPREAD_PERCENTILES.map((p) => [`minutes_${p}`, 'double' as const])),
      routes: 'string',
    },
    of: ({ spread }) => spread && cellsOfSpread(spread),
  },
});

function cellsOfSpread({ minutes, routes, ...counts }: Spread): object {
  const times = Object.entries(minutes).map(([percentile, time]) => [
    `minutes_${percentile}`,
    time,
  ]);
  const lines = routes.map(
    ({ routes, departures }) => `${routes.join(' > ') || 'walk'}: ${departures}`,
  );
  return { ...counts, ...Object.fromEntries(times), routes: lines.join('; ') };
}

interface NumberedLeg extends Partial<Leg> {
  /** From 1; absent for a trip without legs. */
  readonly leg?: number;
}

const LEG = new Columns<NumberedLeg>({
  leg: { type: 'int32' },
  kind: { type: 'string' },
  minutes: { type: 'double' },
  route: { type: 'string' },
  from_stop: { type: 'string' },
  to_stop: { type: 'string' },
});

/** Rows of trips in a format: one a trip where rows have nested members, otherwise one a leg. */
export class TripRows {
  readonly columns;
  readonly #isNested: boolean;
  readonly #spread: Columns<TripRow> | typeof NO_COLUMNS;

  constructor({ name }: Pick<RowFormat, 'name'>, hasSpread: boolean) {
    this.#isNested = name === 'json' || name === 'ndjson';
    this.#spread = hasSpread ? SPREAD : NO_COLUMNS;
    this.columns = this.#isNested
      ? TRIP.columns
      : [...TRIP_OF_LEG.columns, ...this.#spread.columns, ...LEG.columns];
  }

  add(rows: Rows, trip: TripRow): void {
    if (this.#isNested) {
      rows.of(TRIP)(trip);
      return;
    }
    const addLeg = rows.of(TRIP_OF_LEG, this.#spread, LEG);
    const legs: NumberedLeg[] = trip.legs.map((leg, i) => ({ leg: i + 1, ...leg }));
    for (const leg of legs.length > 0 ? legs : [{}]) addLeg(trip, trip, leg);
  }
}
