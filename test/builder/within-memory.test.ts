import { expect, test } from 'vitest';
import { fitJoin } from '../../builder/memory-budget.ts';
import { bytesToDraw } from '../../builder/tiles/tile-drawer.ts';
import { pyramidsOf } from '../../builder/tiles/tile-pyramids.ts';

const GIB = 2 ** 30;
/** Memory that the process already uses. */
const USED = 50e6;

/** A county a degree wide, whose objects have the given number of bytes in all. */
function county(west: number, bytes: number) {
  const ref = { name: 'index/1.tta', bytes: bytes / 4, sha256: '' };
  const objects = { index: ref, nearest: { ...ref, bytes: bytes / 2 }, blocks: ref };
  return { block_box: [west, 39, west + 1, 40] as [number, number, number, number], objects };
}

test('each thread that draws tiles has the counties of one pyramid in memory', () => {
  // Tiles of zoom 6 are 5.6 degrees wide, starting at −180.
  const counties = { '1': county(-78.5, 300), '2': county(-75.5, 500), '3': county(-95, 700) };
  expect(bytesToDraw({ counties }, pyramidsOf(counties))).toBe(800);
});

test('tiles are drawn with as many threads as memory allows, at least one', () => {
  const threads = (memory: number, tileBytes: number) =>
    fitJoin({ workers: 8, memory }, 10, tileBytes, USED).tileThreads;
  expect([threads(16 * GIB, GIB), threads(4 * GIB, GIB), threads(GIB, GIB)]).toEqual([8, 3, 1]);
  expect(threads(2 * GIB, 14e6)).toBe(8);
  expect(fitJoin({ workers: 8, memory: 4 * GIB }, 10, GIB, USED).summary).toContain(
    '3 of them for tiles',
  );
});
