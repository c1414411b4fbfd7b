import path from 'node:path';
import { expect, test } from 'vitest';
import { COARSE_CELLS } from '../../builder/geo/cell-set.ts';
import { encodeFeedDay, FeedTables, type PreparedFeed } from '../../builder/prepare/feeds.ts';
import { silent } from '../../builder/progress.ts';
import { putObject } from '../../builder/publish/put-object.ts';
import { transitAround } from '../../builder/region/transit-around.ts';
import { ROUTING } from '../../builder/routing-parameters.ts';
import type { FeedDay } from '../../builder/transit/feed-day.ts';
import { StopReach } from '../../builder/transit/stop-reach.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { ALIGHT, BOARD } from '../../shards/transit/timetable.ts';
import { AM, joinedFeeds } from '../support/joined-feeds.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

const MINUTE = 60_000;
const { windowStart } = ROUTING.transit;
const here = { minLon: 0, minLat: 0, maxLon: 0.01, maxLat: 0.01 };
const byStreet = { minLon: -0.2, minLat: -0.2, maxLon: 0.2, maxLat: 0.2 };

/**
 * A feed of one trip along the equator, from one longitude to another, that leaves and arrives the
 * given numbers of minutes after the window opens.
 */
function ride(from: number, to: number, [leaves, arrives]: [number, number]): FeedDay {
  const stops = [from, to].map((lon, i) => {
    const at = { id: `${i}`, name: `${lon}`, lon, lat: 0 };
    const entrance = { lon, lat: 0, secondsIn: 0, secondsOut: 0, level: 0 };
    const street = { rails: null, level: null };
    return { ...at, agency: `${from}`, station: at, entrances: [entrance], ...street, windowStart };
  });
  const times = [leaves, arrives].map((minutes) => windowStart + minutes * MINUTE);
  const calls = { stops: [0, 1], rules: [BOARD | ALIGHT, BOARD | ALIGHT] };
  return {
    stops,
    departures: [new Map([['line', 4]]), new Map()],
    trips: [{ ...calls, arrivals: times, departures: times, route: 0 }],
    routes: ['Line'],
    continuations: [],
    rules: [],
    insideWalks: [],
  };
}

async function feedsOf(days: readonly FeedDay[], store: FolderStore): Promise<FeedTables> {
  const prepared: PreparedFeed[] = [];
  for (const [i, day] of days.entries()) {
    const cells = day.stops.map(({ lon, lat }) => COARSE_CELLS.at(lon, lat));
    const feedDay = await putObject(store, 'prepared/feed', 'json', encodeFeedDay(day));
    const facts = { sha256: String(i) } as PreparedFeed['facts'];
    prepared.push({ facts, trips: 1, cells, feedDay, lines: null });
  }
  return new FeedTables(store, prepared, AM);
}

test('feeds are included as far as those before them lead, and no others', async () => {
  const store = new FolderStore(path.join(await folderOfThisTest(), 'store'));
  const days = [
    ride(50, 51, [0, 20]),
    ride(1.001, 2, [30, 50]),
    ride(0, 1, [0, 20]),
    ride(2.001, 3, [125, 140]),
    ride(3.001, 4, [0, 20]),
  ];
  const feeds = await feedsOf(days, store);
  const reported: (string | undefined)[] = [];
  const progress = {
    ...silent,
    start: () => ({ at: () => {}, finish: (summary?: string) => void reported.push(summary) }),
  };
  const { riders, area } = await transitAround(here, byStreet, [feeds], 1, progress);
  const [[transit]] = riders;
  expect(reported).toEqual(['6 stops in 3 of 5 feeds, 3 patterns']);
  // Stops are in input order, not in order of discovery.
  expect(transit.stops.map(({ name }) => name)).toEqual(['1.001', '2', '0', '1', '2.001', '3']);
  expect(transit.departures[0]).toEqual(new Map([['0\0line', 4]]));
  expect([area.minLon < -0.19, area.maxLon > 2, area.maxLon < 2.5]).toEqual([true, true, true]);

  const nobody = await transitAround(
    here,
    byStreet,
    [await feedsOf(days.slice(0, 1), store)],
    1,
    silent,
  );
  expect(nobody.riders[0][0].stops).toEqual([]);
  await store.close();
});

test('the start of a county’s window does not depend on feeds out of its reach', () => {
  const wide = { minLon: 0, minLat: 0, maxLon: 1, maxLat: 0.01 };
  const atItsEdge = ride(0, 2, [0, 20]);
  const later = windowStart + 60 * MINUTE;
  const north = ride(0.5, 0.6, [0, 20]).stops.map((stop) => ({ ...stop, windowStart: later }));
  const placed = north.map((stop) => ({
    ...stop,
    lat: 0.4,
    entrances: stop.entrances.map((entrance) => ({ ...entrance, lat: 0.4 })),
  }));
  const opens = (days: readonly FeedDay[]) =>
    StopReach.inWindows([joinedFeeds(days)], 60 * MINUTE, 1)[0].windowStartOf([wide]);
  const beside = { ...ride(0.5, 0.6, [0, 20]), stops: placed };
  expect(opens([atItsEdge])).toBe(windowStart);
  expect(opens([beside, atItsEdge])).toBe(windowStart);
  expect(opens([{ ...beside, stops: north }, atItsEdge])).toBe(later);
});
