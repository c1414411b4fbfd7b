import { expect, test } from 'vitest';
import { coverageGaps } from '../../shards/release/data-coverage.ts';
import type { CountyManifest } from '../../shards/release/manifest.ts';

const county = (blocks: number, routable_blocks: number) =>
  ({ blocks, routable_blocks }) as CountyManifest;

test('a county with less than 80 % of its blocks near a street has a gap', () => {
  const counties = { '24001': county(100, 79), '24003': county(100, 80), '24005': county(0, 0) };
  expect(coverageGaps({ counties })).toEqual([
    { county: '24001', name: null, blocks: 100, routable_blocks: 79 },
  ]);
});
