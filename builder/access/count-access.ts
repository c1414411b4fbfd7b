import { ACCESS_MINUTES } from '../../shards/access/access-columns.ts';
import type { Matrix } from '../../shards/matrix/matrix.ts';
import { MINUTES } from '../../shards/matrix/row-codec.ts';
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

/** The weights that a release counts within reach by default, where it has them. */
const BY_DEFAULT = ['people', 'jobs', 'jobs_low_wage', 'jobs_mid_wage', 'jobs_high_wage'];

/**
 * Returns the weights that a release counts within reach, in the order of its weights. Throws a
 * `BuildError` for one that was asked for but that the release lacks.
 */
export function countedWeights(
  weights: readonly Pick<Weight, 'weight'>[],
  asked: readonly string[] | undefined,
): string[] {
  const known = [PEOPLE, ...weights].map(({ weight }) => weight);
  const unknown = asked?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new BuildError(
      `--access: the release has no weight ${unknown}; it has ${known.join(', ')}`,
    );
  }
  return known.filter((name) => (asked ?? BY_DEFAULT).includes(name));
}
