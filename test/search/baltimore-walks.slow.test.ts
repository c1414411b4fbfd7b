import { describe, expect, test } from 'vitest';
import { BALTIMORE_BLOCKS, BALTIMORE_OSM } from '../support/baltimore.ts';
import { walksOfBoth } from './walks-of-both.ts';

describe('walks between the blocks of Baltimore', () => {
  test('are within 5 % of a second engine’s times, for all but one pair in a hundred', async () => {
    const { walks } = await walksOfBoth(BALTIMORE_OSM, [BALTIMORE_BLOCKS], '24510');
    const agree = walks.filter(({ ours, theirs }) => Math.abs(ours / theirs - 1) <= 0.05);
    expect(walks.length).toBeGreaterThan(20_000);
    expect(agree.length / walks.length).toBeGreaterThan(0.99);
  });
});
