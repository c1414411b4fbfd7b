import fc from 'fast-check';
import { expect, test } from 'vitest';
import { greedyCoverSteps } from '../../proxy/queries/sites/greedy-cover.ts';
import { runToCompletion } from '../../shards/concurrency/run-to-completion.ts';
import { forAll } from '../support/for-all.ts';

const ELEMENTS = 40;

/** Sets of elements, those covered before, weights (some are zero), and the most sets to choose. */
const problems = fc.record({
  sets: fc.array(fc.uniqueArray(fc.nat(ELEMENTS - 1), { maxLength: 12 }), {
    minLength: 1,
    maxLength: 8,
  }),
  before: fc.uniqueArray(fc.nat(ELEMENTS - 1), { maxLength: 10 }),
  weights: fc.array(fc.nat(50), { minLength: ELEMENTS, maxLength: ELEMENTS }),
  most: fc.integer({ min: 1, max: 5 }),
});

function bitsOf(elements: readonly number[]): Uint32Array {
  const bits = new Uint32Array(Math.ceil(ELEMENTS / 32));
  for (const element of elements) bits[element >> 5] |= 1 << (element & 31);
  return bits;
}

function run({ sets, before, weights, most }: Problem) {
  const covers = sets.map(bitsOf);
  return runToCompletion(
    greedyCoverSteps(covers, bitsOf(before), Float64Array.from(weights), most),
  );
}

interface Problem {
  readonly sets: readonly (readonly number[])[];
  readonly before: readonly number[];
  readonly weights: readonly number[];
  readonly most: number;
}

/** Weight that the chosen sets add together to the elements covered before. */
function added({ sets, before, weights }: Problem, chosen: readonly number[]): number {
  const elements = new Set(chosen.flatMap((one) => sets[one]));
  return [...elements]
    .filter((element) => !before.includes(element))
    .reduce((sum, element) => sum + weights[element], 0);
}

/** All choices of up to `most` sets. */
function choices(count: number, most: number, from = 0): number[][] {
  if (most === 0) return [[]];
  const rest = Array.from({ length: count - from }, (_, i) => from + i);
  return [[], ...rest.flatMap((one) => choices(count, most - 1, one + 1).map((c) => [one, ...c]))];
}

test('each step chooses the candidate that adds most, and the first of equals', async () => {
  await forAll(300, problems, (problem) => {
    const chosen: number[] = [];
    for (const { candidate, gain } of run(problem)) {
      const gains = problem.sets.map(
        (_, one) => added(problem, [...chosen, one]) - added(problem, chosen),
      );
      expect(gain).toBe(Math.max(...gains));
      expect(candidate).toBe(gains.indexOf(gain));
      chosen.push(candidate);
    }
    const rest = problem.sets.map((_, one) => added(problem, [...chosen, one]));
    if (chosen.length < problem.most) expect(Math.max(...rest)).toBe(added(problem, chosen));
  });
});

test('the first choice is the best one, and all together add at least 63 % of the optimum', async () => {
  await forAll(300, problems, (problem) => {
    const steps = run(problem);
    const best = (most: number) =>
      Math.max(...choices(problem.sets.length, most).map((chosen) => added(problem, chosen)));
    expect(steps[0]?.gain ?? 0).toBe(best(1));
    const total = steps.reduce((sum, { gain }) => sum + gain, 0);
    expect(total).toBeGreaterThanOrEqual((1 - 1 / Math.E) * best(problem.most));
  });
});
