import { expect, test } from 'vitest';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { avenue } from '../transit/avenue.ts';
import { buildSmallCity } from '../transit/built-city.ts';
import { busFeed, RIDE, STOPS } from '../transit/bus-town.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { pointAt } from '../transit/small-city.ts';

/** The extent of the park in metres along the avenue, and to either side of it. */
const PARK = { from: STOPS.B - 2_000, to: STOPS.B + 3_000, half: 200 };
/** Blocks a quarter of an hour's walk from the park, inside it, and near the bus stop. */
const BLOCKS = { before: PARK.from - 1_200, inside: STOPS.B + 160, bus: 1_000 };

test('residents of a park and riders alighting in it are already there; others walk to its edge', async () => {
  const folder = await folderOfThisTest();
  const { from, to, half } = PARK;
  const outline = [
    pointAt(from, -half),
    pointAt(to, -half),
    pointAt(to, half),
    pointAt(from, half),
  ];
  const city = { ...avenue(Object.values(BLOCKS), [1_000]), parks: [outline] };
  const feed = await writeFeed(`${folder}/feed.zip`, busFeed());
  const built = await buildSmallCity(folder, city, [feed], { serviceDate: '2026-03-11' });
  const [before, inside, bus] = await built.nearest('parks_large');
  await built.close();
  // Half a minute out to the avenue and 1,200 m along it; sides have an entrance every 50 m.
  expect(Math.abs(before - 155)).toBeLessThanOrEqual(7);
  expect(inside).toBe(10);
  // The walk to the stop, a minute for boarding, half a minute's wait, and the ride.
  expect(bus).toBe(10 * (3.5 + 1 + 0.5 + RIDE));
});
