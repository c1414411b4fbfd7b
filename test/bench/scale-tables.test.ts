import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nationalBytes, nationalHours, unitCosts } from './national-estimate.ts';
import { readRecord } from './scale.ts';
import type { ScaleCity } from './scale-record.ts';
import { withTables } from './scale-tables.ts';

const SCALE = readFileSync('SCALE.md', 'utf8');

test('the tables of SCALE.md are those of the recorded measurements', async () => {
  expect(withTables(SCALE, await readRecord())).toBe(SCALE);
});

test('SCALE.md has at most a thousand words, tables included', () => {
  const words = SCALE.split(/[\s|]+/).filter((word) => /\w/.test(word));
  expect(words.length).toBeLessThanOrEqual(1_000);
});

test('a nation of blocks that each cost a nanosecond and a byte a pair takes what its pairs are', () => {
  const step = 1_000;
  const city: ScaleCity = {
    blocks: 1_000,
    pois: 700,
    pairs: { blocks: step * 1e9, pois: step * 1e9 },
    seconds: {
      blocks: 0,
      network: 0,
      search: 2 * step,
      reachTo: step,
      catchment: step,
      tiles: 1,
      others: 0,
    },
    elapsedSeconds: 1,
    peakMegabytes: 1,
    bytes: { 'reach-from': step * 1e9, 'reach-to': step * 1e9, nearest: 1_000 },
  };
  const costs = unitCosts({ cities: [city] });
  // 4,066,484 blocks each, with 20 × 491 and 0.46 × 491 pairs of blocks, and 0.7 × 133 for 491.
  const [blocks, pois] = [4_066_484 * 20.46 * 491, 4_066_484 * 20.46 * 93.1];
  const bytes = nationalBytes(costs);
  expect(bytes['`reach-from`, `reach-to`']).toBeCloseTo(2 * blocks, -3);
  expect(bytes['`nearest`']).toBe(8_132_968);
  const hours = nationalHours(costs);
  expect(hours.search).toBeCloseTo((blocks + pois) / 3.6e12, 6);
  expect(hours.transposition).toBeCloseTo((blocks + pois) / 3.6e12, 6);
  expect(hours.tiles).toBeCloseTo(8_132.968 / 3_600, 6);
});
