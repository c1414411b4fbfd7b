import type { Release } from '../../shards/release/release.ts';
import { PEOPLE } from '../../shards/weights/weight.ts';
import { invalidParameters } from '../http/problem.ts';

/** Returns the requested weights in the order sent, by default people; throws for unknown ones. */
export function requestedWeights(
  release: Release,
  asked: readonly string[] | undefined,
  part: 'query' | 'body' = 'query',
  member: 'weight' | 'by' = 'weight',
): readonly string[] {
  const names = asked ?? [PEOPLE.weight];
  const known = release.weights.map(({ weight }) => weight);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  throw invalidParameters(
    unknown.map((name) => ({
      loc: [part, member],
      msg: `release ${release.version} has no weight ${name}; it has ${known.join(', ')}`,
      type: 'unknown_weight',
    })),
  );
}

export function sumOf(ordinals: Uint32Array, counts: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < ordinals.length; i++) sum += counts[ordinals[i]];
  return sum;
}

/**
 * Returns the weights of the given blocks, and 0 for all others; `counts` itself if all blocks are
 * given.
 */
export function maskedBy(ordinals: Uint32Array, counts: Uint32Array): Uint32Array {
  if (ordinals.length === counts.length) return counts;
  const masked = new Uint32Array(counts.length);
  for (let i = 0; i < ordinals.length; i++) masked[ordinals[i]] = counts[ordinals[i]];
  return masked;
}
