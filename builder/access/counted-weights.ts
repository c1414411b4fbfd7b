import { PEOPLE, type Weight } from '../../shards/weights/weight.ts';
import { BuildError } from '../errors.ts';

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
