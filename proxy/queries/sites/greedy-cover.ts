/** Elements covered by a candidate, as bits of 32-bit words. */
export type CoverBits = Uint32Array;

interface GreedyStep {
  readonly candidate: number;
  /** Weight newly covered. */
  readonly gain: number;
}

/**
 * Chooses up to `most` candidates, each time the one that covers the most additional weight (the
 * first among equals), until none covers any more. The first choice is optimal; the weight that
 * `most` choices cover together is at least 1 − 1/e of the optimum (Nemhauser, Wolsey and Fisher,
 * 1978). Evaluation is lazy (Minoux, 1978): gains only shrink, so a candidate is evaluated again
 * only when its last known gain is the largest. Yields after each evaluation.
 *
 * `covered`: the elements covered from the start, to which those of chosen candidates are added.
 */
export function* greedyCoverSteps(
  candidates: readonly CoverBits[],
  covered: CoverBits,
  weights: Float64Array,
  most: number,
): Generator<undefined, GreedyStep[], undefined> {
  const gains = new Float64Array(candidates.length);
  /** Number of steps after which each gain was last evaluated. */
  const evaluatedAt = new Int32Array(candidates.length);
  for (const [c, bits] of candidates.entries()) {
    gains[c] = gainOf(bits, covered, weights);
    yield;
  }
  const steps: GreedyStep[] = [];
  while (steps.length < most) {
    const candidate = largest(gains);
    if (candidate === -1) break;
    if (evaluatedAt[candidate] < steps.length) {
      gains[candidate] = gainOf(candidates[candidate], covered, weights);
      evaluatedAt[candidate] = steps.length;
      yield;
      continue;
    }
    steps.push({ candidate, gain: gains[candidate] });
    gains[candidate] = 0;
    candidates[candidate].forEach((word, i) => {
      covered[i] |= word;
    });
  }
  return steps;
}

/** Returns the index of the largest positive value, the first among equals; -1 if there is none. */
function largest(values: Float64Array): number {
  let [at, most] = [-1, 0];
  for (let i = 0; i < values.length; i++) {
    if (values[i] > most) [at, most] = [i, values[i]];
  }
  return at;
}

/** Weight of the elements of `bits` that are not in `covered`. */
function gainOf(bits: CoverBits, covered: CoverBits, weights: Float64Array): number {
  let gain = 0;
  for (let word = 0; word < bits.length; word++) {
    for (let left = bits[word] & ~covered[word]; left !== 0; left &= left - 1) {
      gain += weights[word * 32 + 31 - Math.clz32(left & -left)];
    }
  }
  return gain;
}
