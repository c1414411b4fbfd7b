import type { CityPlan } from './city-plan.ts';
import type { StreetNames } from './names.ts';
import {
  bothWays,
  type Entrance,
  HOUR,
  KERB,
  MINUTE,
  PLATFORM,
  planTransit,
  type Service,
  type Station,
  type Stop,
  type TransitLine,
  type TransitPlan,
} from './transit-plan.ts';

/** Cells between streets with buses, and between the stops on such a street. */
const BUS_STREETS = 4;
/** A limited bus serves every n-th stop of its street. */
const LIMITED = 3;
/** The share of its street that a short-turning bus serves, from one end. */
const SHORT_TURN_SHARE = 0.6;
const BUS_HOP = { local: 90, limited: 210 };
/**
 * Number of underground lines in each direction across the city, and cells between their stations.
 */
const SUBWAYS = 10;
const STATIONS_EVERY = 8;
const SUBWAY_HOP = 100;
/**
 * Offset in cells of the stairs at the four corners of the crossing above, 14 m from its middle.
 */
const STAIRS = 0.08;
/**
 * Seconds by which each line starts later than the one before, to stagger lines of equal headway.
 */
const STAGGER = 97;

/** A street or a track across the city: its places in the order of travel, along a lattice line. */
interface Corridor {
  readonly id: string;
  readonly name: string;
  readonly ends: readonly [string, string];
  readonly isAcross: boolean;
  readonly places: readonly { name: string; column: number; row: number }[];
}

/**
 * Public transport as dense as Manhattan's, in addition to the city's own: on every fourth street a
 * local bus, a limited one and two that turn short, which share their stops; and an underground
 * grid whose stations have four entrances each. A city of 20,000 blocks has 300 lines and 5,700
 * stops, and nearly 10,000 trips in the window.
 */
export function planMetropolisTransit(plan: CityPlan, names: StreetNames): TransitPlan {
  const city = planTransit(plan, names);
  const streets = corridors(plan, names, 'S', {
    columns: every(BUS_STREETS, plan.columns),
    rows: every(BUS_STREETS, plan.rows),
    places: BUS_STREETS,
  });
  const tracks = corridors(plan, names, 'U', {
    columns: spread(SUBWAYS, plan.columns),
    rows: spread(SUBWAYS, plan.rows),
    places: STATIONS_EVERY,
  });
  const subways = tracks.map(subwayOn);
  const lines = [...streets.flatMap(busesOn), ...subways.map(({ line }) => line)];
  return {
    stations: [...city.stations, ...subways.flatMap(({ stations }) => stations)],
    entrances: subways.flatMap(({ stations }) => stations.flatMap(entrancesOf)),
    lines: [...city.lines, ...lines.map(staggered)],
  };
}

function corridors(
  plan: CityPlan,
  names: StreetNames,
  kind: string,
  at: { columns: readonly number[]; rows: readonly number[]; places: number },
): Corridor[] {
  const place = (column: number, row: number) => {
    return { name: `${names.along(row)} & ${names.across(column)}`, column, row };
  };
  const across = at.columns.map((column): Corridor => {
    const places = every(at.places, plan.rows).map((row) => place(column, row));
    const id = `${kind}A${column}`;
    return { id, name: names.across(column), ends: ['North', 'South'], isAcross: true, places };
  });
  const along = at.rows.map((row): Corridor => {
    const places = every(at.places, plan.columns).map((column) => place(column, row));
    const id = `${kind}B${row}`;
    return { id, name: names.along(row), ends: ['East', 'West'], isAcross: false, places };
  });
  return [...across, ...along];
}

/** The bus lines of a street, which share its stops. */
function busesOn({ id, name, ends, isAcross, places }: Corridor): TransitLine[] {
  const kerb = isAcross ? { dx: KERB, dy: 0 } : { dx: 0, dy: -KERB };
  const stops = bothWays(id, places, kerb);
  const short = Math.ceil(places.length * SHORT_TURN_SHARE);
  const bus = (suffix: string, isServed: (place: number) => boolean, hop: number): TransitLine => ({
    id: `${id}${suffix}`,
    shortName: `${id}${suffix}`,
    longName: name,
    kind: 'bus',
    hop,
    directions: [
      stops[0].filter((_, n) => isServed(n)),
      stops[1].filter((_, n) => isServed(places.length - 1 - n)),
    ],
    headsigns: ends,
    ...hours(10 * MINUTE),
    byHeadway: true,
  });
  return [
    bus('', () => true, BUS_HOP.local),
    bus('L', (place) => place % LIMITED === 0, BUS_HOP.limited),
    bus('N', (place) => place >= places.length - short, BUS_HOP.local),
    bus('S', (place) => place < short, BUS_HOP.local),
  ];
}

function subwayOn({ id, name, ends, isAcross, places }: Corridor): {
  line: TransitLine;
  stations: Station[];
} {
  const stations = places.map((place, n) => ({ ...place, id: `${id}-${n + 1}` }));
  const platforms = (side: 'N' | 'S', away: number): Stop[] =>
    stations.map((station) => ({
      ...station,
      id: `${station.id}${side}`,
      station: station.id,
      column: station.column + (isAcross ? away : 0),
      row: station.row + (isAcross ? 0 : away),
    }));
  const line: TransitLine = {
    id,
    shortName: id,
    longName: `${name} Line`,
    kind: 'subway',
    hop: SUBWAY_HOP,
    directions: [platforms('N', PLATFORM), platforms('S', -PLATFORM).reverse()],
    headsigns: ends,
    ...hours(6 * MINUTE),
    byHeadway: true,
  };
  return { line, stations };
}

function entrancesOf({ id, name, column, row }: Station): Entrance[] {
  const corners = [-STAIRS, STAIRS].flatMap((dx) => [-STAIRS, STAIRS].map((dy) => [dx, dy]));
  return corners.map(([dx, dy], n) => ({
    id: `${id}-E${n + 1}`,
    name,
    column: column + dx,
    row: row + dy,
    station: id,
  }));
}

function hours(headway: number): { weekday: readonly Service[]; weekend: readonly Service[] } {
  return {
    weekday: [{ from: 5 * HOUR, until: 25 * HOUR, headway }],
    weekend: [{ from: 6 * HOUR, until: 24 * HOUR, headway: 2 * headway }],
  };
}

function staggered(line: TransitLine, n: number): TransitLine {
  const later = (services: readonly Service[]) =>
    services.map((service) => {
      return { ...service, from: service.from + ((n * STAGGER) % service.headway) };
    });
  return { ...line, weekday: later(line.weekday), weekend: later(line.weekend) };
}

/** Lattice lines this many cells apart. */
function every(step: number, cells: number): number[] {
  return Array.from({ length: Math.floor(cells / step) }, (_, n) => step / 2 + n * step);
}

/** This many lattice lines, spaced as widely as possible. */
function spread(count: number, cells: number): number[] {
  return Array.from({ length: count }, (_, n) => Math.round(((n + 0.5) * cells) / count));
}
