import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RoutingChoice } from '../../builder/routing-parameters.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { avenue, avenueFeed, tripFrom } from './avenue.ts';
import { buildSmallCity } from './built-city.ts';
import { writeFeed } from './gtfs-text.ts';
import { blockGeoid } from './small-city.ts';

/** Blocks 900 m apart for walks and rides, and one that a bus leads to. */
const CITY = avenue([1_000, 1_900, 9_160], [1_900]);
const [WEST, MIDDLE, EAST] = [blockGeoid(0), blockGeoid(1), blockGeoid(2)];
const SET_BACK = 40;
const SLOW: RoutingChoice = {
  walk_speed_kmh: 3.6,
  bike_speed_kmh: 12,
  transit_board_slack_s: 240,
};

const folder = folderOfTests();
const feed = path.join(folder, 'feed.zip');
let proxy: ProxyHarness;
let key: string;

/** Builds the city into the store of the file, and returns the counties that were searched. */
async function build(routing?: RoutingChoice) {
  const options = { serviceDate: '2026-03-12', ...(routing && { routing }) };
  const built = await buildSmallCity(folder, CITY, [feed], options);
  await built.close();
  return built;
}

beforeAll(async () => {
  // Written once, since an archive has the time at which it was written.
  await writeFeed(
    feed,
    // A bus every minute, which takes 13 minutes.
    avenueFeed(
      { A: 1_240, B: 9_000 },
      Array.from({ length: 180 }, (_, i) => tripFrom(420 + i, { A: 0, B: 13 })),
    ),
  );
  await build(SLOW);
  proxy = await openProxy(path.join(folder, 'store'));
  key = (await proxy.customer({ tokens: 10_000 })).key;
}, 120_000);
afterAll(() => proxy?.close());

test('times are those of the chosen speeds and of the chosen wait at the stop', async () => {
  const minutes = async (to: string, mode: string) =>
    (await proxy.get(`/v1/blocks/${WEST}/explain?to=${to}&mode=${mode}`, key)).json().travel_time;
  const walked = (metres: number) => metres / 60;
  expect(await minutes(MIDDLE, 'walk')).toBe(Math.ceil(walked(900 + 2 * SET_BACK)));
  expect(await minutes(MIDDLE, 'bike')).toBe(Math.ceil(900 / 200 + walked(2 * SET_BACK)));
  const walks = walked(SET_BACK + 240) + walked(160 + SET_BACK);
  // A bus leaves each minute, so the wait after the slack is up to a minute: a tenth of it.
  const wait = 4 + 0.4;
  expect(await minutes(EAST, 'transit')).toBe(Math.ceil(walks + wait + 13));
});

test('assumptions state the parameters, in the manifest and to clients', async () => {
  const { assumptions } = (await proxy.get('/v1/isochrone/meta')).json();
  expect(assumptions).toMatchObject({ ...SLOW, bike_max_traffic_stress: 3 });
  expect(assumptions).toMatchObject({ transit_walk_inside_kmh: 4.8, transit_max_walk_leg_min: 30 });
});

test('other parameters search again and make another version; the usual ones are as none', async () => {
  const versionOf = ({ release }: Awaited<ReturnType<typeof build>>) =>
    release.manifest.components.find(({ component }) => component === 'road_network')!.version;
  const slow = await build(SLOW);
  expect(slow.result.searched).toEqual([]);
  const usual = await build();
  expect(usual.result.searched).toEqual(['99001']);
  const same = await build({ walk_speed_kmh: 4.8, transit_board_slack_s: 60 });
  expect(same.result.searched).toEqual([]);
  expect(same.result.latest.sha256).toBe(usual.result.latest.sha256);
  expect(versionOf(usual)).not.toBe(versionOf(slow));
});
