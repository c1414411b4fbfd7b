import type { TagRule, TaxonomyEntry } from '../../builder/destinations/taxonomy.ts';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import type { CellDrawing, CellSketch } from './cell-sketch.ts';
import { type CityPlan, placedLeaves } from './city-plan.ts';
import type { Cell } from './lattice.ts';
import { placeName, type StreetNames } from './names.ts';
import type { Tags } from './osm-elements.ts';
import { isInPlainGrid, PLAIN_GRID, PLAIN_GRID_PLACES } from './plain-grid.ts';
import { Random } from './seeded-random.ts';

/** Weights of types in random draws; types not listed weigh 1. */
const WEIGHTS: Readonly<Record<string, number>> = {
  restaurants: 12,
  cafes: 8,
  fast_food: 8,
  convenience_stores: 8,
  bus_stops: 8,
  supermarkets: 4,
  grocery_stores: 4,
  bars_and_pubs: 5,
  hairdressers: 5,
  playgrounds: 5,
  churches: 5,
  banks: 4,
  pharmacies: 4,
  doctors: 4,
  dentists: 3,
  childcare: 3,
  elementary_schools: 3,
  clothes_shops: 3,
  bakeries: 3,
  libraries: 2,
};

/** Positions of POIs in a cell, in cells from its south-west corner, and the street each is on. */
const STANDS = [
  { x: 0.25, y: 0.16, on: 'south' },
  { x: 0.72, y: 0.84, on: 'north' },
  { x: 0.84, y: 0.3, on: 'east' },
] as const;
type Stand = (typeof STANDS)[number];

/**
 * Distance in cells within which the plain grid's types do not occur; more than half an hour's
 * ride.
 */
const RESERVED_MARGIN = 70;
/** Chance that a position in a cell is occupied, which increases towards the city centre. */
const CHANCE = { outskirts: 0.06, downtown: 0.55 };
const OUTLINE_SHARE = 0.4;
/** Every n-th home is a building around a yard: a multipolygon. */
const YARD_EVERY = 6;
/** Types mapped as a point on a street or track, never as a building. */
const POINTS = new Set(['bus_stops', 'rail_stations', 'bike_rental', 'ferry_terminals']);

/** Parts of addresses that belong to no real state or post office. */
const STATE = 'XA';
const CITIES = { '001': ['Port Meridian', '00101'], '003': ['Halcyon', '00103'] } as const;

const STREAM = 0x901;

/** Draws random POIs into a built cell, more of them near the city centre. */
export function placesAtRandom(plan: CityPlan, names: StreetNames): CellDrawing {
  const near = weighted(placedLeaves());
  const far = weighted([...placedLeaves(), ...PLAIN_GRID_PLACES.map(({ label }) => leafOf(label))]);
  return (sketch, cell) => {
    const leaves = isInPlainGrid(cell, RESERVED_MARGIN) ? near : far;
    const random = new Random(plan.seed, STREAM, cell.column, cell.row);
    const chance = CHANCE.outskirts + (CHANCE.downtown - CHANCE.outskirts) * centrality(plan, cell);
    for (const stand of STANDS) {
      if (!random.chance(chance)) continue;
      const shape = random.chance(OUTLINE_SHARE) ? 'outline' : 'point';
      drawPlace(
        sketch,
        random.pick(leaves),
        stand,
        shape,
        addressTags(plan, names, cell, stand),
        random,
      );
    }
  };
}

/** Draws the one guaranteed POI of a type; homes alternate between shapes. */
export function drawHome(
  plan: CityPlan,
  names: StreetNames,
  sketch: CellSketch,
  cell: Cell,
  { leaf, ordinal }: { leaf: TaxonomyEntry; ordinal: number },
): void {
  const random = new Random(plan.seed, STREAM, cell.column, cell.row);
  const shape = ordinal % YARD_EVERY === 0 ? 'yard' : ordinal % 2 === 0 ? 'outline' : 'point';
  const address = addressTags(plan, names, cell, STANDS[0]);
  drawPlace(sketch, leaf, STANDS[0], shape, address, random);
}

/** Draws the plain grid's own POIs on the south-west corner of a cell. */
export function drawPlainGridPlaces(
  plan: CityPlan,
  names: StreetNames,
  sketch: CellSketch,
  cell: Cell,
): void {
  for (const { label, name, column, row } of PLAIN_GRID_PLACES) {
    if (PLAIN_GRID.column + column !== cell.column || PLAIN_GRID.row + row !== cell.row) continue;
    sketch.node(0, 0, {
      ...ruleTags(leafOf(label)),
      name,
      ...addressTags(plan, names, cell, STANDS[0]),
    });
  }
}

/** Centrality of a cell: 1 in the middle of the city, falling to 0. */
export function centrality(plan: CityPlan, { column, row }: Cell): number {
  const [x, y] = [column / plan.columns - 0.5, row / plan.rows - 0.5];
  return Math.exp(-8 * (x * x + y * y));
}

function drawPlace(
  sketch: CellSketch,
  leaf: TaxonomyEntry,
  { x, y }: Stand,
  shape: 'point' | 'outline' | 'yard',
  address: Tags,
  random: Random,
): void {
  const { name, brand } = placeName(leaf, random);
  const tags: Tags = { ...ruleTags(leaf), name, ...(brand ? { brand } : {}), ...address };
  if (shape === 'point' || POINTS.has(leaf.label)) {
    sketch.node(x, y, tags);
    return;
  }
  const isOutdoors = 'leisure' in tags;
  const whole: Tags = isOutdoors ? tags : { ...tags, building: 'yes' };
  if (shape === 'outline') {
    sketch.area(sketch.rectangle(x - 0.09, y - 0.07, x + 0.09, y + 0.07), whole);
    return;
  }
  const outer = sketch.way(closed(sketch.rectangle(0.15, 0.1, 0.6, 0.55)));
  const inner = sketch.way(closed(sketch.rectangle(0.3, 0.25, 0.45, 0.4)));
  sketch.multipolygon(
    [
      { way: outer, role: 'outer' },
      { way: inner, role: 'inner' },
    ],
    whole,
  );
}

function closed(refs: readonly number[]): number[] {
  return [...refs, refs[0]];
}

/** Tags that classify an element as a type: the first values of the type's first rule. */
function ruleTags(leaf: TaxonomyEntry): Tags {
  const rule: TagRule = leaf.osm?.[0] ?? {};
  return Object.fromEntries(
    Object.entries(rule).map(([key, wanted]) => [
      key,
      typeof wanted === 'string' ? wanted : wanted[0],
    ]),
  );
}

function leafOf(label: string): TaxonomyEntry {
  const leaf = TAXONOMY.find((entry) => entry.label === label);
  if (!leaf) throw new RangeError(`the taxonomy has no "${label}"`);
  return leaf;
}

function weighted(leaves: readonly TaxonomyEntry[]): TaxonomyEntry[] {
  return leaves.flatMap((leaf) => Array<TaxonomyEntry>(WEIGHTS[leaf.label] ?? 1).fill(leaf));
}

/** The city, and the ZIP code, of the addresses in a column of cells. */
export function cityAt({ countyLine }: CityPlan, column: number) {
  return CITIES[column < countyLine ? '001' : '003'];
}

function addressTags(
  plan: CityPlan,
  names: StreetNames,
  { column, row }: Cell,
  stand: Stand,
): Tags {
  const [city, zip] = cityAt(plan, column);
  const street =
    stand.on === 'east'
      ? names.across(column + 1)
      : names.along(stand.on === 'north' ? row + 1 : row);
  const block = stand.on === 'east' ? row : column;
  return {
    'addr:housenumber': String(
      100 * (block + 1) + Math.round(100 * (stand.on === 'east' ? stand.y : stand.x)),
    ),
    'addr:street': street,
    'addr:city': city,
    'addr:state': STATE,
    'addr:postcode': zip,
  };
}
