import type { CityPlan } from './city-plan.ts';
import type { Cell, Corner } from './lattice.ts';
import type { StreetNames } from './names.ts';
import { NO_TAGS, type OsmWay, type Tags } from './osm-elements.ts';
import { isPlainCorner } from './plain-grid.ts';
import { Random } from './seeded-random.ts';

/** OSM mappers split long streets; a way of the demo city has at most this many edges. */
const MAX_EDGES = 12;
const ONE_WAY_SHARE = 0.3;
const STREAM = { along: 0x0a, across: 0x0b };

type Direction = 'along' | 'across';

export function cornerNodeId(plan: CityPlan, column: number, row: number): number {
  return 1 + row * (plan.columns + 1) + column;
}

/** The ways along the lattice's lines and diagonals, with ids ascending from 1. */
export function* streetWays(plan: CityPlan, names: StreetNames): Generator<OsmWay> {
  let id = 1;
  for (let row = 0; row <= plan.rows; row++) {
    const tags = lineTags(plan, 'along', row, names);
    for (const way of waysOfLine(plan, 'along', row, tags)) yield { id: id++, ...way };
  }
  for (let column = 0; column <= plan.columns; column++) {
    const tags = lineTags(plan, 'across', column, names);
    for (const way of waysOfLine(plan, 'across', column, tags)) yield { id: id++, ...way };
  }
  for (const way of avenues(plan)) yield { id: id++, ...way };
}

/** A part of a street between two corners, and the cells on both of its sides. */
interface StreetEdge {
  readonly name: string;
  readonly from: Corner;
  readonly to: Corner;
  /** The cell to the left of one who goes from `from` to `to`; it may be outside the city. */
  readonly left: Cell;
  readonly right: Cell;
}

/** The edges of the lattice that are streets, without bridges and trails. */
export function* streetEdges(plan: CityPlan, names: StreetNames): Generator<StreetEdge> {
  for (let row = 0; row <= plan.rows; row++) {
    const tags = lineTags(plan, 'along', row, names);
    for (let column = 0; column < plan.columns; column++) {
      const [from, to] = [column, column + 1].map((at) => ({ column: at, row }));
      const sides = { left: { column, row }, right: { column, row: row - 1 } };
      const name = houseStreet(edgeTags(plan, 'along', row, column, tags), tags);
      if (name !== null) yield { name, from, to, ...sides };
    }
  }
  for (let column = 0; column <= plan.columns; column++) {
    const tags = lineTags(plan, 'across', column, names);
    for (let row = 0; row < plan.rows; row++) {
      const [from, to] = [row, row + 1].map((at) => ({ column, row: at }));
      const sides = { left: { column: column - 1, row }, right: { column, row } };
      const name = houseStreet(edgeTags(plan, 'across', column, row, tags), tags);
      if (name !== null) yield { name, from, to, ...sides };
    }
  }
}

/** The name of an edge with these tags, of those of its line, if houses may stand on it. */
function houseStreet(tags: Tags | null, { bridge }: LineTags): string | null {
  return tags === null || tags === bridge ? null : tags.name;
}

type WayWithoutId = Omit<OsmWay, 'id'>;

/** Splits a lattice line where its tags change, where it ends, and where it gets too long. */
function* waysOfLine(
  plan: CityPlan,
  direction: Direction,
  line: number,
  lineTags: LineTags,
): Generator<WayWithoutId> {
  const edges = direction === 'along' ? plan.columns : plan.rows;
  const nodeAt = (step: number) =>
    direction === 'along' ? cornerNodeId(plan, step, line) : cornerNodeId(plan, line, step);
  let refs: number[] = [];
  let tags: Tags | null = null;
  for (let step = 0; step < edges; step++) {
    const next = edgeTags(plan, direction, line, step, lineTags);
    if (next !== tags || refs.length > MAX_EDGES) {
      if (tags) yield { refs, tags };
      refs = [nodeAt(step)];
      tags = next;
    }
    refs.push(nodeAt(step + 1));
  }
  if (tags) yield { refs, tags };
}

/** The possible tags of a line's edges; the same objects along the whole line. */
interface LineTags {
  readonly street: Tags;
  readonly plain: Tags;
  readonly bridge: Tags;
}

/** Tags of an edge: those of its line, or null where there is no street. */
function edgeTags(
  plan: CityPlan,
  direction: Direction,
  line: number,
  step: number,
  tags: LineTags,
): Tags | null {
  const [from, to, sides]: [Cell, Cell, readonly [Cell, Cell]] =
    direction === 'along'
      ? [
          { column: step, row: line },
          { column: step + 1, row: line },
          [
            { column: step, row: line },
            { column: step, row: line - 1 },
          ],
        ]
      : [
          { column: line, row: step },
          { column: line, row: step + 1 },
          [
            { column: line, row: step },
            { column: line - 1, row: step },
          ],
        ];
  if (direction === 'across' && step === plan.riverRow) {
    return plan.bridges.includes(line) ? tags.bridge : null;
  }
  if (isPlainCorner(from.column, from.row) && isPlainCorner(to.column, to.row)) return tags.plain;
  return isInsidePark(plan, sides) ? null : tags.street;
}

/**
 * Whether both sides of an edge belong to the same park, so that the edge is a path, not a street.
 */
function isInsidePark(plan: CityPlan, [a, b]: readonly [Cell, Cell]): boolean {
  if (b.column < 0 || b.row < 0 || a.column >= plan.columns || a.row >= plan.rows) return false;
  const [one, other] = [plan.useOf(a), plan.useOf(b)];
  return one.kind === 'park' && other.kind === 'park' && one.park === other.park;
}

function lineTags(
  plan: CityPlan,
  direction: Direction,
  line: number,
  names: StreetNames,
): LineTags {
  const name = direction === 'along' ? names.along(line) : names.across(line);
  const plain = { highway: 'residential', name, maxspeed: '25 mph', surface: 'asphalt' };
  if (direction === 'along' && line === plan.riverRow + 1) {
    const trail = {
      highway: 'cycleway',
      name: 'Riverside Trail',
      surface: 'asphalt',
      bicycle: 'designated',
      foot: 'yes',
      segregated: 'no',
    };
    return { street: trail, plain, bridge: trail };
  }
  const random = new Random(plan.seed, STREAM[direction], line);
  const street = { ...classTags(plan, direction, line, random), name, surface: 'asphalt' };
  const bridge = { ...BRIDGE, name: line === plan.bridges[0] ? 'Old Bridge' : 'Regatta Bridge' };
  return { street, plain, bridge };
}

const BRIDGE: Tags = {
  highway: 'secondary',
  bridge: 'yes',
  layer: '1',
  lanes: '2',
  maxspeed: '30 mph',
  cycleway: 'lane',
  sidewalk: 'both',
};

/**
 * Returns the tags of a line's class. Every fourth line is a major street; the lines between are
 * quiet, and some of them one-way.
 */
function classTags(plan: CityPlan, direction: Direction, line: number, random: Random): Tags {
  const away = linesFromMain(plan, direction, line);
  if (away === 0) {
    return { highway: 'primary', lanes: '4', maxspeed: '40 mph', sidewalk: 'both' };
  }
  if (away % 8 === 0) {
    const lane: Tags = random.chance(0.5) ? { cycleway: 'lane' } : {};
    return { highway: 'secondary', lanes: '2', maxspeed: '35 mph', sidewalk: 'both', ...lane };
  }
  if (away % 4 === 0) return { highway: 'tertiary', lanes: '2', maxspeed: '30 mph' };
  const oneWay: Tags = random.chance(ONE_WAY_SHARE)
    ? { oneway: random.chance(0.5) ? 'yes' : '-1' }
    : {};
  return { highway: 'residential', maxspeed: '25 mph', ...oneWay };
}

function linesFromMain(plan: CityPlan, direction: Direction, line: number): number {
  const main = direction === 'along' ? Math.round(plan.rows / 2) - 3 : plan.countyLine;
  return Math.abs(line - main);
}

/** Tags of a corner: every second crossing of a major street has traffic lights. */
export function cornerTags(plan: CityPlan, column: number, row: number): Tags {
  const [along, across] = [
    linesFromMain(plan, 'along', row),
    linesFromMain(plan, 'across', column),
  ];
  const isSignalled = along % 2 === 0 && across % 2 === 0 && (along % 4 === 0 || across % 4 === 0);
  return isSignalled ? { highway: 'traffic_signals' } : NO_TAGS;
}

/** Streets through cells split by a diagonal, one way per unbroken run. */
function* avenues(plan: CityPlan): Generator<WayWithoutId> {
  for (let start = -plan.rows; start < plan.columns; start++) {
    let refs: number[] = [];
    const tags = { highway: 'tertiary', name: 'Diagonal Avenue', maxspeed: '25 mph', lanes: '2' };
    for (let row = 0; row <= plan.rows; row++) {
      const cell = { column: start + row, row };
      const isDiagonal =
        row < plan.rows &&
        cell.column >= 0 &&
        cell.column < plan.columns &&
        plan.useOf(cell).kind === 'diagonal';
      if (isDiagonal) {
        if (refs.length === 0) refs.push(cornerNodeId(plan, cell.column, row));
        refs.push(cornerNodeId(plan, cell.column + 1, row + 1));
      }
      if (refs.length > 0 && (!isDiagonal || refs.length > MAX_EDGES)) {
        if (refs.length > 1) yield { refs, tags };
        refs = isDiagonal ? [refs[refs.length - 1]] : [];
      }
    }
    if (refs.length > 1) yield { refs, tags };
  }
}
