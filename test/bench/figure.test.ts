import { expect, test } from 'vitest';
import { exponentOf } from './figure.ts';

test('the fitted exponent is that of points on a power law, also of points scattered evenly around one', () => {
  const law = [1, 2, 5, 40].map((x) => [x, 3 * x ** 1.5] as const);
  expect(exponentOf(law)).toBeCloseTo(1.5, 12);
  const steps = [0.8, 1.25, 1.25, 0.8].map((error, i) => [2 ** i, error * 2 ** i] as const);
  expect(exponentOf(steps)).toBeCloseTo(1, 12);
});
