import { expect, test } from 'vitest';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import { PLAIN_GRID, PLAIN_GRID_PLACES } from '../../infra/demo/plain-grid.ts';
import { DEMO_CITY } from '../support/demo-release.setup.ts';
import { plainGridBlock, plainGridWalk } from '../support/plain-grid-oracle.ts';
import { expectOk } from './api.ts';
import { demoOfTests } from './demo.ts';

const demo = demoOfTests();

/** Minutes from a block to the nearest POI of each type, by type. */
async function timesFrom(geoid: string, mode: string): Promise<Map<number, number>> {
  const response = await demo.api.get(`/v1/blocks/${geoid}/summary`, { mode });
  const rows: { dest_type_id: number; travel_time: number }[] = expectOk(response).results;
  return new Map(rows.map(({ dest_type_id, travel_time }) => [dest_type_id, travel_time]));
}

test('times on the plain grid match those worked out by hand, for every block and POI', async () => {
  const plan = planCity(DEMO_CITY);
  let compared = 0;
  for (let column = 0; column < PLAIN_GRID.side; column++) {
    for (let row = 0; row < PLAIN_GRID.side; row++) {
      const times = await timesFrom(plainGridBlock(plan, column, row).geoid, 'walk');
      for (const place of PLAIN_GRID_PLACES) {
        const type = TAXONOMY.find((entry) => entry.label === place.label)!.dest_type_id;
        const minutes = plainGridWalk({ column, row }, place);
        // Half a tenth for rounding, plus the effect of 10⁻⁷ degrees in the map's coordinates.
        expect(Math.abs(times.get(type)! - minutes)).toBeLessThan(0.052);
        compared++;
      }
    }
  }
  expect(compared).toBe(PLAIN_GRID.side ** 2 * PLAIN_GRID_PLACES.length);
});

test('cycling is never slower than walking', async () => {
  for (const { geoid } of demo.release.blocks.filter((_, i) => i % 10 === 0)) {
    const bike = await timesFrom(geoid, 'bike');
    for (const [type, walk] of await timesFrom(geoid, 'walk')) {
      expect(bike.get(type), `${geoid} to ${type}`).toBeLessThanOrEqual(walk);
    }
  }
});
