import { expect, test } from 'vitest';
import { blocksTable } from '../../builder/export/block-tables.ts';
import type { Release } from '../../shards/release/release.ts';
import { wideRelease } from '../support/wide-release.ts';

const BLOCKS = 40_000;

test('the blocks of a large county come in groups of up to 16,384, each block once and in order', async () => {
  const centres = Array.from({ length: BLOCKS }, (_, i) => [-70 - i / 1e5, 36] as const);
  const { release } = wideRelease([{ fips: '99001', box: [-71, 35, -69, 37], centres }]);
  const areas = async () => ({ outlines: { geoids: new Float64Array(0) } });
  const withoutOutlines = Object.assign(release, { areas }) as unknown as Release;
  const geoids: unknown[] = [];
  const longitudes: unknown[] = [];
  const shares: number[] = [];
  const reading = { release: withoutOutlines, done: (share: number) => void shares.push(share) };
  for await (const group of blocksTable.rows(reading, release.counties[0])) {
    expect(group.rows).toBeLessThanOrEqual(16_384);
    if (!('values' in group)) throw new Error('a group of indexes');
    for (const column of group.values) expect(column).toHaveLength(group.rows);
    geoids.push(...group.values[0]);
    longitudes.push(...group.values[3]);
  }
  expect(new Set(geoids).size).toBe(BLOCKS);
  expect(geoids).toEqual([...geoids].sort());
  expect(longitudes).toHaveLength(BLOCKS);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(shares.at(-1)).toBe(1);
});
