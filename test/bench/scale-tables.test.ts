import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Costs } from './costs.ts';
import {
  hoursMoving,
  nationalBytes,
  nationalHours,
  nationalMoved,
  unitCosts,
} from './national-estimate.ts';
import { DOCUMENTS, readRecord } from './scale.ts';
import type { ScaleNation } from './scale-record.ts';
import { withTables } from './scale-tables.ts';

test.each(DOCUMENTS)('the tables of %s are those of the recorded measurements', async (file) => {
  const document = readFileSync(file, 'utf8');
  expect(withTables(document, await readRecord())).toBe(document);
});

test('SCALE.md has at most a thousand words, tables included', () => {
  const words = readFileSync('SCALE.md', 'utf8')
    .split(/[\s|]+/)
    .filter((word) => /\w/.test(word));
  expect(words.length).toBeLessThanOrEqual(1_000);
});

test('a nation of blocks that each cost a nanosecond and a byte a pair takes what its pairs are', () => {
  const step = 1_000;
  const taking = (seconds: number, bytes = 0): Costs => {
    return { seconds, elapsed: seconds, read: bytes, written: bytes };
  };
  const objects = { 'reach-from': step * 1e9, 'reach-to': step * 1e9, nearest: 1_000 };
  const release = 2e12 + 1_000;
  const nation: ScaleNation = {
    date: '2026-01-01',
    commit: '',
    machine: '',
    node: '',
    blocks: 1_000,
    counties: 1,
    feeds: { served: 0, used: 0 },
    leftOut: 0,
    extractBytes: 1,
    pairs: { blocks: step * 1e9, pois: step * 1e9 },
    stages: {},
    steps: {
      blocks: taking(0, 1_000),
      search: taking(2 * step, 3 * release),
      reachTo: taking(step, release),
      catchment: taking(step, release),
      tiles: taking(1),
      others: taking(0),
    },
    peakMegabytes: 1,
    syncedBytesPerSecond: 1e6,
    bytes: objects,
  };
  const costs = unitCosts({ nations: [nation] });
  // 4,066,484 blocks each, with 20 × 491 and 0.46 × 491 pairs of blocks, and 0.7 × 133 for 491.
  const [blocks, pois] = [4_066_484 * 20.46 * 491, 4_066_484 * 20.46 * 93.1];
  const bytes = nationalBytes(costs);
  expect(bytes['`reach-from`, `reach-to`']).toBeCloseTo(2 * blocks, -3);
  expect(bytes['`nearest`']).toBe(8_132_968);
  const hours = nationalHours(costs);
  expect(hours.search).toBeCloseTo((blocks + pois) / 3.6e12, 6);
  expect(hours.transposition).toBeCloseTo((blocks + pois) / 3.6e12, 6);
  expect(hours.tiles).toBeCloseTo(8_132.968 / 3_600, 6);
  const { units, join, 'blocks, prepared': blocksRead } = nationalMoved(costs);
  const national = Object.values(bytes).reduce((sum, one) => sum + one, 0);
  expect(join.read / national).toBeCloseTo(2, 9);
  expect(units.written / national).toBeCloseTo(3, 9);
  expect(blocksRead.read).toBeCloseTo(8_132_968, 0);
  expect(hoursMoving(join, costs)).toBeCloseTo((4 * national) / 1e6 / 3_600, 6);
});
