import path from 'node:path';
import { expect, test } from 'vitest';
import { BALTIMORE_OSM, describeBaltimore } from '../osm/baltimore.ts';
import { walksOfBoth } from './walks-of-both.ts';

const BLOCKS = path.resolve('../shared/data/baltimore/blocks/tl_24510_tabblock20.zip');

describeBaltimore('walks between the blocks of Baltimore', () => {
  test('take within 5 % of what a second engine finds, for all but one pair in a hundred', async () => {
    const { walks } = await walksOfBoth(BALTIMORE_OSM, [BLOCKS], '24510');
    const agree = walks.filter(({ ours, theirs }) => Math.abs(ours / theirs - 1) <= 0.05);
    expect(walks.length).toBeGreaterThan(20_000);
    expect(agree.length / walks.length).toBeGreaterThan(0.99);
  });
});
