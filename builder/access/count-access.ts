import { ACCESS_MINUTES, POI_MINUTES } from '../../shards/access/access-columns.ts';
import type { Matrix } from '../../shards/matrix/matrix.ts';
import { MINUTES, TENTHS } from '../../shards/matrix/row-codec.ts';
import type { PoiTable } from '../../shards/pois/poi-table.ts';
import { type DestinationType, Taxonomy } from '../../shards/taxonomy.ts';
import type { DestTypeId } from '../../shards/units.ts';
import { PEOPLE, type Weight } from '../../shards/weights/weight.ts';
import { BuildError } from '../errors.ts';

/** For each time, the first of `ACCESS_MINUTES` that it is within. */
const LEVEL_OF = Uint8Array.from({ length: MINUTES.most + 1 }, (_, time) =>
  ACCESS_MINUTES.findIndex((most) => time <= most),
);

/**
 * Counts how much of each weight is within each of `ACCESS_MINUTES` of the origins of a matrix:
 * cumulative opportunities (Hansen, 1959; El-Geneidy and Levinson, 2006). `weights`: counts by
 * target. Returns a column of counts by origin for each weight, mode and time limit, in this order.
 * One pass over the rows.
 */
export async function countAccess(
  matrix: Matrix,
  weights: readonly Uint32Array[],
): Promise<Uint32Array[]> {
  const levels = ACCESS_MINUTES.length;
  const counts = Array.from(
    { length: weights.length * matrix.modes * levels },
    () => new Uint32Array(matrix.origins.length),
  );
  const sums = new Float64Array(levels);
  for await (const { ordinal, modes } of matrix.rows()) {
    for (let m = 0; m < modes.length; m++) {
      const { targets, times } = modes[m];
      for (let w = 0; w < weights.length; w++) {
        const weight = weights[w];
        sums.fill(0);
        for (let i = 0; i < targets.length; i++) sums[LEVEL_OF[times[i]]] += weight[targets[i]];
        const first = (w * matrix.modes + m) * levels;
        for (let level = 0, within = 0; level < levels; level++) {
          within += sums[level];
          counts[first + level][ordinal] = within;
        }
      }
    }
  }
  return counts;
}

/** The time limits up to which POIs are counted, in tenths of a minute. */
const POI_TENTHS = POI_MINUTES.map((minutes) => minutes * 10);

/** For each time in tenths of a minute, the first of `POI_TENTHS` that it is within. */
const POI_LEVEL_OF = Uint8Array.from({ length: TENTHS.most + 1 }, (_, time) =>
  POI_TENTHS.findIndex((most) => time <= most),
);

/**
 * Counts the POIs of some types within each time limit of the origins of a POI matrix; a POI of
 * several leaves of a type counts once. `types`: the leaves of each. Returns a column of counts by
 * origin for each type, mode and time limit, in this order. One pass over the rows.
 */
export async function countPois(
  matrix: Matrix,
  table: PoiTable,
  types: readonly (readonly DestTypeId[])[],
): Promise<Uint32Array[]> {
  const levels = POI_TENTHS.length;
  const counts = Array.from(
    { length: types.length * matrix.modes * levels },
    () => new Uint32Array(matrix.origins.length),
  );
  // Positions in `types`, of each POI in a row.
  const starts = new Uint32Array(table.count + 1);
  const positions: number[] = [];
  const sets = types.map((leaves) => table.ofTypes(leaves));
  for (let poi = 0; poi < table.count; poi++) {
    for (const [t, set] of sets.entries()) if (set.has(poi)) positions.push(t);
    starts[poi + 1] = positions.length;
  }
  const typesOf = Uint16Array.from(positions);
  const sums = new Uint32Array(types.length * levels);
  for await (const { ordinal, modes } of matrix.rows()) {
    for (let m = 0; m < modes.length; m++) {
      const { targets, times } = modes[m];
      sums.fill(0);
      for (let i = 0; i < targets.length; i++) {
        const [level, end] = [POI_LEVEL_OF[times[i]], starts[targets[i] + 1]];
        for (let at = starts[targets[i]]; at < end; at++) sums[typesOf[at] * levels + level]++;
      }
      for (let t = 0; t < types.length; t++) {
        const first = (t * matrix.modes + m) * levels;
        for (let level = 0, within = 0; level < levels; level++) {
          within += sums[t * levels + level];
          counts[first + level][ordinal] = within;
        }
      }
    }
  }
  return counts;
}

/** The weights that a release counts within reach by default, where it has them. */
const WEIGHTS_BY_DEFAULT = ['people', 'jobs', 'jobs_low_wage', 'jobs_mid_wage', 'jobs_high_wage'];

/** The types that it counts by default, by label: those of which people want more than one. */
const TYPES_BY_DEFAULT = [
  'food_shops',
  'grocery_stores',
  'eating_and_drinking',
  'education',
  'health',
  'pharmacies',
  'parks',
  'culture',
  'libraries',
  'everyday_services',
  'play_and_sport',
  'playgrounds',
];

interface Countable {
  readonly weights: readonly Pick<Weight, 'weight'>[];
  readonly types: readonly DestinationType[];
}

const BY_DEFAULT = [...WEIGHTS_BY_DEFAULT, ...TYPES_BY_DEFAULT.map((label) => `type:${label}`)];

/**
 * Returns what a release counts within reach: weights, in its order, then types by id, as
 * `type:ID`. Types are asked for by id or label. Throws a `BuildError` for one that was asked for
 * but that the release lacks.
 */
export function countedNames(
  { weights, types }: Countable,
  asked: readonly string[] | undefined,
): string[] {
  const taxonomy = new Taxonomy(types);
  const known = [PEOPLE, ...weights].map(({ weight }) => weight);
  const nameOf = (name: string): string | undefined => {
    if (!name.startsWith('type:')) return known.includes(name) ? name : undefined;
    const type = name.slice('type:'.length);
    const id = taxonomy.idOf(/^\d+$/.test(type) ? Number(type) : type);
    return id === undefined ? undefined : `type:${id}`;
  };
  const found = new Set((asked ?? BY_DEFAULT).map(nameOf));
  if (asked && found.has(undefined)) {
    const unknown = asked.find((name) => nameOf(name) === undefined)!;
    throw new BuildError(
      unknown.startsWith('type:')
        ? `--access: the release has no destination type ${unknown.slice('type:'.length)}`
        : `--access: the release has no weight ${unknown}; it has ${known.join(', ')}`,
    );
  }
  const all = [...known, ...taxonomy.types.map(({ dest_type_id }) => `type:${dest_type_id}`)];
  return all.filter((name) => found.has(name));
}
