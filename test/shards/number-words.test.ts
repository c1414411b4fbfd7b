import { expect, test } from 'vitest';
import { withCommas } from '../../shards/number-words.ts';

const oracle = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });

test.each([
  0, 7, 999, 1_000, 46_896, 1_234_567, -1_000, 0.5, 999.75, 1_234.5, 46_896.125, 12.34567,
])('%d gets separators of thousands before the decimal point only', (number) => {
  expect(withCommas(number)).toBe(oracle.format(number));
});
