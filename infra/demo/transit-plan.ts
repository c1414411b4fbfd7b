import type { ServiceSeconds } from '../../builder/gtfs/service-time.ts';
import { addTo } from '../../shards/arrays/group-by.ts';
import type { CellDrawing } from './cell-sketch.ts';
import type { CityPlan } from './city-plan.ts';
import type { Cell } from './lattice.ts';
import type { StreetNames } from './names.ts';
import type { Tags } from './osm-elements.ts';

/** A stop, or a platform of a station, in one direction of a line. */
export interface Stop {
  readonly id: string;
  readonly name: string;
  /** Position in lattice units. */
  readonly column: number;
  readonly row: number;
  /** Id of the station that a platform belongs to; null for a stop. */
  readonly station: string | null;
}

export interface Station {
  readonly id: string;
  readonly name: string;
  readonly column: number;
  readonly row: number;
}

export interface Entrance extends Station {
  readonly station: string;
}

export interface TransitLine {
  readonly id: string;
  readonly shortName: string;
  readonly longName: string;
  readonly kind: 'bus' | 'rail' | 'subway';
  /** Stops of the two directions, each in the order of travel; both have the same number. */
  readonly directions: readonly [readonly Stop[], readonly Stop[]];
  readonly headsigns: readonly [string, string];
  /** Time from one stop to the next, including the dwell there. */
  readonly hop: ServiceSeconds;
  /** Headways on weekdays and weekends, each from `from` to `until`, exclusive. */
  readonly weekday: readonly Service[];
  readonly weekend: readonly Service[];
  /** Whether departures are published in `frequencies.txt` rather than trip by trip. */
  readonly byHeadway: boolean;
}

export interface Service {
  readonly from: ServiceSeconds;
  readonly until: ServiceSeconds;
  readonly headway: ServiceSeconds;
}

export interface TransitPlan {
  readonly stations: readonly Station[];
  /** Entrances of stations. A station may have none. */
  readonly entrances: readonly Entrance[];
  /** Lines may share stops. */
  readonly lines: readonly TransitLine[];
}

export const HOUR = 3_600;
export const MINUTE = 60;

/**
 * Cells between two stops, maximum number of stops, and seconds from stop to stop, by kind of line.
 */
const BUS = { every: 3, most: 30, hop: 90 };
const RAIL = { every: 6, most: 20, hop: 120 };
/**
 * Distance from the middle of the street to a waiting passenger, in cells: six metres; on
 * platforms, nine.
 */
export const KERB = 0.05;
export const PLATFORM = 0.075;

/**
 * The public transport of the city: a bus across it, a bus over the western bridge, and a railway
 * north. All times are known in advance: the crosstown bus leaves every 10 minutes of a working
 * day, the bridge bus every 10 in the morning peak and every 15 later, a train every 12.
 */
export function planTransit(plan: CityPlan, names: StreetNames): TransitPlan {
  const crosstownRow = plan.riverRow - 1;
  const crosstown = stretch(plan.columns, BUS).map((column) => ({
    name: `${names.along(crosstownRow)} & ${names.across(column)}`,
    column,
    row: crosstownRow,
  }));
  const bridge = plan.bridges[0];
  const overBridge = stretch(plan.rows, BUS).map((row) => ({
    name: `${names.across(bridge)} & ${names.along(row)}`,
    column: bridge,
    row,
  }));
  const track = Math.round(plan.columns / 2) + 1;
  const stations = stretch(plan.rows, RAIL).map((row, n) => ({
    id: `M${n + 1}`,
    name: `${names.along(row)} Station`,
    column: track,
    row,
  }));
  const platform = (side: 'N' | 'S', dx: number) =>
    stations.map((station) => ({
      ...station,
      id: `${station.id}${side}`,
      column: station.column + dx,
      station: station.id,
    }));
  return {
    stations,
    entrances: [],
    lines: [
      {
        id: 'X1',
        shortName: '1',
        longName: 'Crosstown',
        kind: 'bus',
        hop: BUS.hop,
        directions: bothWays('X1', crosstown, { dx: 0, dy: -KERB }),
        headsigns: ['Halcyon', 'Port Meridian West'],
        weekday: [{ from: 5 * HOUR, until: 25 * HOUR, headway: 10 * MINUTE }],
        weekend: [{ from: 6 * HOUR, until: 24 * HOUR, headway: 20 * MINUTE }],
        byHeadway: false,
      },
      {
        id: 'B2',
        shortName: '2',
        longName: 'Old Bridge',
        kind: 'bus',
        hop: BUS.hop,
        directions: bothWays('B2', overBridge, { dx: KERB, dy: 0 }),
        headsigns: ['North Side', 'Harbor'],
        weekday: [
          { from: 6 * HOUR, until: 9.5 * HOUR, headway: 10 * MINUTE },
          { from: 9.5 * HOUR, until: 24 * HOUR, headway: 15 * MINUTE },
        ],
        weekend: [{ from: 8 * HOUR, until: 22 * HOUR, headway: 30 * MINUTE }],
        byHeadway: true,
      },
      {
        id: 'M',
        shortName: 'M',
        longName: 'Meridian Line',
        kind: 'rail',
        hop: RAIL.hop,
        directions: [platform('N', PLATFORM), platform('S', -PLATFORM).reverse()],
        headsigns: ['Northbound', 'Southbound'],
        weekday: [{ from: 5 * HOUR, until: 25 * HOUR, headway: 12 * MINUTE }],
        weekend: [{ from: 6 * HOUR, until: 24 * HOUR, headway: 24 * MINUTE }],
        byHeadway: false,
      },
    ],
  };
}

export function stopDrawing({ stations, lines }: TransitPlan): CellDrawing {
  const busStops = stopsOf(lines.filter(({ kind }) => kind === 'bus'));
  const here = new Map<string, { at: Cell; tags: Tags }[]>();
  const stand = ({ name, column, row }: Stop | Station, tags: Tags) => {
    const cell = keyOf({ column: Math.floor(column), row: Math.floor(row) });
    addTo(here, cell, { at: { column, row }, tags: { ...tags, name } });
  };
  for (const stop of busStops) {
    stand(stop, { highway: 'bus_stop', public_transport: 'platform', bus: 'yes' });
  }
  for (const station of stations) {
    stand(station, { railway: 'station', public_transport: 'station' });
  }
  return (sketch, cell) => {
    for (const { at, tags } of here.get(keyOf(cell)) ?? []) {
      sketch.node(at.column - cell.column, at.row - cell.row, tags);
    }
  };
}

/** The stops of lines, each once. */
export function stopsOf(lines: readonly TransitLine[]): Stop[] {
  return [...new Set(lines.flatMap(({ directions }) => directions.flat()))];
}

function keyOf({ column, row }: Cell): string {
  return `${column},${row}`;
}

/** Positions of stops, centred on a line of this many cells. */
function stretch(cells: number, { every, most }: { every: number; most: number }): number[] {
  const count = Math.min(most, Math.floor(cells / every));
  const first = Math.floor((cells - (count - 1) * every) / 2);
  return Array.from({ length: count }, (_, n) => first + n * every);
}

/**
 * Stops at both kerbs: those of the first direction on the right-hand side, where traffic drives.
 */
export function bothWays(
  line: string,
  places: readonly { name: string; column: number; row: number }[],
  { dx, dy }: { dx: number; dy: number },
): [Stop[], Stop[]] {
  const side = (direction: number, sign: number): Stop[] =>
    places.map(({ name, column, row }, n) => ({
      id: `${line}-${n + 1}-${direction}`,
      name,
      station: null,
      column: column + sign * dx,
      row: row + sign * dy,
    }));
  return [side(0, 1), side(1, -1).reverse()];
}
