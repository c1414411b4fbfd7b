import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measureInWords } from '../../infra/cli/changes/change-summary.ts';
import { openPair } from '../../infra/cli/changes/open-pair.ts';
import type { DepartureWindow } from '../../shards/services.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { callTool } from '../support/mcp-client.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { publishSmallRelease } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfTests, folderOfThisTest } from '../support/temporary-folder.ts';
import { avenue, avenueFeed, tripFrom } from './avenue.ts';
import { type BuiltCity, buildSmallCity } from './built-city.ts';
import { exception, service } from './feed-records.ts';
import { writeFeed } from './gtfs-text.ts';
import { blockGeoid } from './small-city.ts';

const [WEST, EAST] = [blockGeoid(0), blockGeoid(1)];
/** Minutes of the walks to the first stop and from the last, with those of boarding. */
const WALKS = 3.5 + 1 + 2.5;
const MIDDAY: DepartureWindow = { name: 'midday', opens: 720, departures: 60, day: 'weekday' };
const WINDOWS: readonly DepartureWindow[] = [
  MIDDAY,
  { name: 'saturday', opens: 660, departures: 60, day: 'saturday' },
];

/** Trips from A to B at each of the minutes that `every` leaves between two, for three hours. */
function line(id: string, first: number, every: number, ride: number) {
  return Array.from({ length: 180 / every }, (_, n) => {
    return { service: id, ...tripFrom(first + n * every, { A: 0, B: ride }) };
  });
}

/**
 * In the morning a bus every 10 minutes, at midday a slower one every 30; on Saturdays another,
 * which one feed has alone and does not run on a holiday.
 */
async function city(folder: string): Promise<BuiltCity> {
  const stops = { A: 1_240, B: 9_000 };
  const weekdays = avenueFeed(stops, [...line('week', 420, 10, 13), ...line('week', 660, 30, 20)], {
    'calendar.txt': [service('week', '1111100', 20260101, 20261231)],
  });
  const saturdays = avenueFeed(stops, line('saturday', 600, 15, 16), {
    'calendar.txt': [service('saturday', '0000010', 20260101, 20261231)],
    'calendar_dates.txt': [exception('saturday', 20260314, 2)],
  });
  const feeds = [
    await writeFeed(path.join(folder, 'weekdays.zip'), weekdays),
    await writeFeed(path.join(folder, 'saturdays.zip'), saturdays),
  ];
  return buildSmallCity(folder, avenue([1_000, 9_160], [9_100, 9_160]), feeds, {
    serviceDate: '2026-03-12',
    windows: WINDOWS,
    percentiles: { midday: [50] },
  });
}

describe('a release with further windows', () => {
  const folder = folderOfTests();
  let built: BuiltCity;
  let proxy: ProxyHarness;
  let key: string;
  beforeAll(async () => {
    built = await city(folder);
    await built.close();
    proxy = await openProxy(path.join(folder, 'store'));
    key = (await proxy.customer({ tokens: 10_000 })).key;
  }, 120_000);
  afterAll(() => proxy?.close());

  const explained = async (query: string) =>
    (await proxy.get(`/v1/blocks/${WEST}/explain?to=${EAST}&${query}`, key)).json();

  test('has the times of each window, on the day of each', async () => {
    expect(built.release.manifest.modes).toEqual([
      'walk',
      'bike',
      'transit',
      'transit.midday',
      'transit.midday.50',
      'transit.saturday',
    ]);
    const days = built.release.manifest.windows!.map(({ name, service_date }) => [
      name,
      service_date,
    ]);
    expect(days).toEqual([
      ['am', '2026-03-12'],
      ['midday', '2026-03-12'],
      // The Saturday that is as near has no service.
      ['saturday', '2026-03-07'],
    ]);
    // At the 10th percentile a rider waits up to a minute of ten, and three of thirty.
    for (const [query, minutes] of [
      ['', WALKS + 13 + 0.5],
      ['departure=midday', WALKS + 20 + 2.5],
      ['departure=midday&percentile=50', WALKS + 20 + 14.5],
      ['departure=saturday', WALKS + 16 + 1.5],
    ] as const) {
      const { travel_time, legs, departure } = await explained(query);
      expect([query, travel_time]).toEqual([query, Math.ceil(minutes)]);
      const sum = legs.reduce((all: number, leg: { minutes: number }) => all + leg.minutes, 0);
      expect(sum).toBe(travel_time);
      expect(departure).toBe(/departure=(\w+)/.exec(query)?.[1] ?? 'am');
    }
  });

  test('lists them, and names those that exist for any other', async () => {
    const { assumptions, modes } = (await proxy.get('/v1/isochrone/meta')).json();
    expect(modes).toEqual(['walk', 'bike', 'transit']);
    expect(assumptions).toMatchObject({
      departures: ['am', 'midday', 'saturday'],
      percentiles: [10, 50],
      windows: [
        { name: 'am', opens: '08:00', percentiles: [10] },
        { name: 'midday', opens: '12:00', percentiles: [10, 50] },
        { name: 'saturday', opens: '11:00', service_date: '2026-03-07' },
      ],
    });
    const faults: [query: string, fault: string][] = [
      ['departure=night', 'query.departure: must be one of am, midday, saturday'],
      ['percentile=90', 'query.percentile: must be 10 or 50'],
      ['percentile=50', 'query.percentile: must be one of 10 with departure am'],
      [
        'departs=08:10&departure=midday',
        'query.departs: must be a minute from 12:00 to 12:59, such as 12:15',
      ],
    ];
    for (const [query, detail] of faults) {
      expect(await explained(query)).toMatchObject({ status: 400, detail });
    }
    const document = (await proxy.get('/openapi.json')).json();
    expect(document.components.parameters.Departure.schema.enum).toEqual(assumptions.departures);
  });

  test('answers every kind of request with the times of the window', async () => {
    const get = async (path: string) => (await proxy.get(path, key)).json();
    const post = async (path: string, body: object) => (await proxy.post(path, key, body)).json();
    const summary = async (departure: string) =>
      (await get(`/v1/blocks/${WEST}/summary?mode=transit&departure=${departure}`)).results;
    const atMidday = new Map<number, number>();
    for (const { dest_type_id, travel_time } of await summary('midday')) {
      atMidday.set(dest_type_id, travel_time);
    }
    const slower = (await summary('am')).find(
      (row: { dest_type_id: number; travel_time: number }) =>
        Math.ceil(row.travel_time) < (atMidday.get(row.dest_type_id) ?? Infinity),
    );
    const { dest_type_id: type, travel_time: am } = slower;
    const midday = atMidday.get(type) ?? 30;
    const area = { blocks: [WEST] };
    const { current } = proxy.releases;
    const index = await current.index(current.county(EAST.slice(0, 5))!);
    const at = index.geoids.indexOf(Number(EAST));
    const origin = { lat: index.lat[at] / 1e6, lon: index.lon[at] / 1e6 };
    const all_of = [{ type, mode: 'transit', max_minutes: Math.ceil(am) }];
    const { release } = proxy.releases.current.manifest;
    for (const [departure, minutes] of [
      ['am', am],
      ['midday', midday],
    ] as const) {
      const isMet = minutes === am;
      const { basket } = await post('/v1/coverage', { area, all_of, departure });
      expect([departure, basket.with_all === basket.total]).toEqual([departure, isMet]);
      const match = await post('/v1/blocks/match', { area, all_of, departure });
      expect([departure, match.results.length]).toEqual([departure, isMet ? 1 : 0]);
      const compared = { from: release, to: release, area, type: [type], mode: ['transit'] };
      const changes = await post('/v1/changes', { ...compared, departure });
      expect(changes.results).toMatchObject([{ mean_before: minutes, mean_after: minutes }]);
      expect(changes).toMatchObject({ departure, percentile: 10 });
      const onFoot = await post('/v1/changes', { ...compared, mode: ['walk'], departure });
      expect([onFoot.departure, onFoot.percentile]).toEqual([undefined, undefined]);
      const sites = [{ id: 1, ...origin, capacity: 1 }];
      const { formula } = await post('/v1/sites/supply', {
        sites,
        mode: 'transit',
        area,
        departure,
      });
      expect(formula).toMatchObject({ departure, percentile: 10 });
      const trips = [{ from: WEST, to: EAST }];
      const { results } = await post('/v1/explain', { trips, departure });
      const { travel_time } = await explained(`departure=${departure}`);
      expect(results).toMatchObject([{ departure, travel_time }]);
    }
    const other = { from: release, to: release, area, type: [type], departure: 'night' };
    expect(await post('/v1/changes', other)).toMatchObject({ status: 400 });
  });

  test('isochrones state the window and the percentile that they are of', async () => {
    const assumptions = async (query: string) => {
      const path = `/v1/isochrone?block=${WEST}&minutes=30&mode=transit&format=blocks&${query}`;
      return (await proxy.get(path, key)).json().assumptions;
    };
    const stated = async (query: string) => {
      const { transit_departure, transit_window, transit_window_min, transit_percentile, feeds } =
        await assumptions(query);
      const minutes = /from (\S+) to (\S+),/.exec(transit_window)!.slice(1).join('-');
      const files = feeds.map((feed: { file: string }) => feed.file);
      return [transit_departure, minutes, transit_window_min, transit_percentile, files];
    };
    const [weekday, saturday] = [['weekdays.zip'], ['saturdays.zip']];
    for (const [query, expected] of [
      ['', ['2026-03-12T08:00:00', '08:00-08:59', 60, 10, weekday]],
      ['departure=midday', ['2026-03-12T12:00:00', '12:00-12:59', 60, 10, weekday]],
      ['departure=midday&percentile=50', ['2026-03-12T12:00:00', '12:00-12:59', 60, 50, weekday]],
      ['departure=saturday', ['2026-03-07T11:00:00', '11:00-11:59', 60, 10, saturday]],
    ]) {
      expect([query, await stated(query as string)]).toEqual([query, expected]);
    }
    expect(await assumptions('departure=saturday')).not.toHaveProperty('transit_service_day');
  });

  test('tools of assistants choose among them, and state what a result is of', async () => {
    const post = async (path: string, body: object) => (await proxy.post(path, key, body)).json();
    for (const timing of [{}, { departure: 'midday' }, { departure: 'midday', percentile: 50 }]) {
      const call = async (tool: string, args: object) => {
        const { structuredContent, content } = await callTool(proxy, key, tool, args);
        const { departure: name, percentile = 10 } = { departure: undefined, ...timing };
        expect([tool, content[0].text]).toEqual([
          tool,
          expect.stringContaining(
            name === undefined
              ? '8:00 to 9:00'
              : `departures of ${name}, at percentile ${percentile}`,
          ),
        ]);
        return structuredContent;
      };
      const type = [101];
      const summary = await post('/v1/blocks/summary', {
        ...{ origins: [WEST], mode: ['transit'], type },
        ...timing,
      });
      const asked = { types: ['grocery stores'], modes: ['transit'], ...timing };
      const explained = await call('explain_block', { origin: WEST, ...asked });
      expect(Object.values(explained.minutes.transit)).toEqual([
        summary.results[0]?.travel_time ?? null,
      ]);
      const counts = await post('/v1/access', {
        ...{ origins: [WEST], mode: ['transit'], of: ['people'], minutes: [30, 60] },
        ...timing,
      });
      const reach = { origin: WEST, mode: 'transit', minutes: [30, 60], ...timing };
      expect(Object.values((await call('reach_from', reach)).within.people)).toEqual(
        counts.results.map(({ count }: { count: number }) => count),
      );
      const area = { counties: [WEST.slice(0, 5)] };
      const coverage = await post('/v1/coverage', { area, mode: ['transit'], type, ...timing });
      const measured = await call('measure_coverage', {
        ...{ area: WEST.slice(0, 5), types: ['101'], mode: 'transit' },
        ...timing,
      });
      expect(Object.values(measured.within)[0]).toMatchObject(coverage.results[0].within);
      const all_of = [{ type: 101, mode: 'transit', max_minutes: 25 }];
      const match = await post('/v1/blocks/match', { area, all_of, ...timing });
      const found = await call('find_blocks', { area: WEST.slice(0, 5), all_of, ...timing });
      expect(Object.keys(found.population)).toEqual(
        match.results.map(({ geoid }: { geoid: string }) => geoid),
      );
    }
    const other = { origin: WEST, types: ['101'], modes: ['transit'], departure: 'night' };
    const { content } = await callTool(proxy, key, 'explain_block', other);
    expect(content[0].text).toContain('must be one of am, midday, saturday');
  });

  test('has an ETag and cursors for each', async () => {
    const pois = (query: string) => proxy.get(`/v1/blocks/${WEST}/pois?limit=1&${query}`, key);
    const tags = await Promise.all(['', 'departure=am', 'departure=midday'].map(pois));
    const [none, am, midday] = tags.map(({ headers }) => headers.etag);
    expect(am).toBe(none);
    expect(midday).not.toBe(am);
    const { next_cursor } = (await pois('departure=midday')).json();
    expect(next_cursor).toEqual(expect.any(String));
    expect((await pois(`departure=midday&cursor=${next_cursor}`)).statusCode).toBe(200);
    expect((await pois(`cursor=${next_cursor}`)).statusCode).toBe(400);
  });
});

describe('windows at night', () => {
  const folder = folderOfTests();
  const at = (name: string, opens: number): DepartureWindow => {
    return { name, opens, departures: 60, day: 'weekday' };
  };
  let built: BuiltCity;
  beforeAll(async () => {
    const trips = [490, 10, 30].map((leaves) => tripFrom(leaves, { A: 0, B: 13 }));
    const feed = await writeFeed(
      path.join(folder, 'bus.zip'),
      avenueFeed({ A: 1_240, B: 9_000 }, trips),
    );
    built = await buildSmallCity(folder, avenue([1_000, 9_160], [9_100]), [feed], {
      serviceDate: '2026-03-12',
      windows: [at('late', 1_380), at('dawn', 180)],
    });
  }, 120_000);
  afterAll(() => built?.close());

  test('have the buses after midnight, which are those of the next day of service', async () => {
    // The sixth latest of the departures is at 23:54, six minutes before midnight.
    const [fromWest] = await built.reach('transit.late');
    expect(fromWest.get(1)).toBe(Math.ceil(6 + 10 + 13 + 2.5));
    const [atDawn] = await built.reach('transit.dawn');
    expect(atDawn.get(1)).toBeUndefined();
  });

  test('are compared by commands, too, which name them', async () => {
    const store = new FolderStore(path.join(folder, 'store'));
    const open = (departure: string, percentile?: number) =>
      openPair(store, ['x', 'x'], { departure, percentile });
    const measure = { kind: 'count', of: 'people', minutes: 45, mode: 'transit' } as const;
    expect(measureInWords(await open('late'), measure)).toBe(
      'people within 45 minutes by transit (departure late, percentile 10)',
    );
    expect(measureInWords(await open('am'), measure)).toBe('people within 45 minutes by transit');
    await expect(open('late', 50)).rejects.toThrow(
      /has no transit times of departure late at percentile 50; it has am \(10\), late \(10\), dawn \(10\)$/,
    );
    await store.close();
  });

  test('without a trip are a warning', () => {
    expect(built.said).toContain('WARNING: window dawn: 1 of 1 feed without a trip in it: bus.zip');
    expect(built.said.join('\n')).not.toContain('WARNING: window late');
  });
});

test('feeds that a window alone reads are prepared again if the store has lost them', async () => {
  const folder = await folderOfThisTest();
  await (await city(folder)).close();
  const store = path.join(folder, 'store');
  const [name] = await readdir(path.join(store, 'plans'));
  const plan = JSON.parse(await readFile(path.join(store, 'plans', name), 'utf8'));
  const namesIn = (part: object): string[] =>
    JSON.stringify(part).match(/"prepared\/[^"]+"/g) ?? [];
  const [lost] = namesIn(plan.windows).filter((one) => !namesIn(plan.feeds).includes(one));
  const file = path.join(store, JSON.parse(lost));
  await rm(file);
  await (await city(folder)).close();
  expect((await stat(file)).size).toBeGreaterThan(0);
});

test('a paid response is replayed once its window has left the release', async () => {
  const folder = await folderOfThisTest();
  await (await city(folder)).close();
  const ledger = `sqlite:${await folderOfThisTest()}`;
  const county = smallCounty({ fips: '24510', seed: 21, blocks: 12, pois: 40 });
  await publishSmallRelease(path.join(folder, 'next'), 'next', [county]);
  const body = { trips: [{ from: WEST, to: EAST }], departure: 'midday', percentile: 50 };
  const headers = { 'idempotency-key': 'window' };
  const before = await openProxy(path.join(folder, 'store'), { ledger });
  const { id, key } = await before.customer({ tokens: 1_000 });
  const first = await before.post('/v1/explain', key, body, headers);
  const balance = await before.balance(id);
  await before.close();
  const after = await openProxy(path.join(folder, 'next'), { ledger });
  try {
    expect([first.statusCode, balance < 1_000]).toEqual([200, true]);
    const again = await after.post('/v1/explain', key, body, headers);
    expect([again.statusCode, again.body]).toEqual([200, first.body]);
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'x-data-release': first.headers['x-data-release'],
    });
    const anew = (await after.post('/v1/explain', key, body)).json();
    expect(anew).toMatchObject({
      status: 400,
      detail: 'body.departure: must be one of am; body.percentile: must be 10',
    });
    expect(await after.balance(id)).toBe(balance);
  } finally {
    await after.close();
  }
});

test('changes are of the windows of the releases compared, whichever release is in force', async () => {
  const folder = await folderOfThisTest();
  await (await city(folder)).close();
  const store = path.join(folder, 'store');
  const before = await openProxy(store);
  const { release } = before.releases.current.manifest;
  await before.close();
  await publishSmallRelease(store, 'next', [
    smallCounty({ fips: '24510', seed: 21, blocks: 12, pois: 40 }),
  ]);
  const proxy = await openProxy(store);
  try {
    const { key } = await proxy.customer({ tokens: 1_000 });
    const body = { from: release, to: release, area: { blocks: [WEST] }, mode: ['transit'] };
    const timed = { ...body, departure: 'midday', percentile: 50 };
    const answered = await proxy.post('/v1/changes', key, timed);
    expect(answered.statusCode, answered.body).toBe(200);
    const lacking = await proxy.post('/v1/changes', key, { ...timed, to: 'next' });
    expect(lacking.statusCode).toBe(400);
    expect(lacking.json().detail).toBe(
      'body.to: release next has no transit times of departure midday at percentile 50; it has am (10)',
    );
    const unknown = await proxy.post('/v1/changes', key, { ...body, departure: 'night' });
    expect(unknown.json().detail).toContain('it has am (10), midday (10, 50), saturday (10)');
  } finally {
    await proxy.close();
  }
});

test('a window on a day without any service is refused', async () => {
  const folder = await folderOfThisTest();
  const feed = avenueFeed({ A: 1_240, B: 9_000 }, line('week', 420, 10, 13), {
    'calendar.txt': [service('week', '1111100', 20260101, 20261231)],
  });
  const file = await writeFeed(path.join(folder, 'weekdays.zip'), feed);
  const sunday: DepartureWindow = { name: 'sunday', opens: 660, departures: 60, day: 'sunday' };
  const build = buildSmallCity(folder, avenue([1_000, 9_160], [1_000]), [file], {
    windows: [sunday],
  });
  await expect(build).rejects.toThrow('window sunday: no trip runs on any Sunday');
});
