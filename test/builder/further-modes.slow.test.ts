import { cp } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { publishExports } from '../../builder/export/publish-exports.ts';
import { silent } from '../../builder/progress.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { FURTHER_MODES, type Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { demoRequest } from '../support/demo-release.setup.ts';
import { exampleRequest, readDocument } from '../support/example-requests.ts';
import { faultsIn } from '../support/faults.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { avenueFeed, tripFrom } from '../transit/avenue.ts';
import { buildSmallCity } from '../transit/built-city.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { blockGeoid, pointAt, type SmallCity } from '../transit/small-city.ts';

const ALL: readonly Mode[] = ['walk', 'bike', 'transit', ...FURTHER_MODES];
const CORNERS = 60;

/**
 * A street and, 400 m north of it, a terrace, each with a corner every 100 m. Between them lead
 * stairs at 1,000 m, a lift at 1,100 m, a way past a raised curb at 1,200 m, and one past a lowered
 * curb at 1,300 m. A walk of 80 m takes a minute; blocks and shop are 36 m off the street. The
 * third block is on the street, beyond a walk of an hour.
 */
function hill(lift: Readonly<Record<string, string>>): SmallCity {
  const row = (north: number) => Array.from({ length: CORNERS }, (_, i) => pointAt(100 * i, north));
  const corners = [...row(0), ...row(400)];
  const streets: [number, number][] = [];
  for (let i = 1; i < CORNERS; i++) streets.push([i - 1, i], [CORNERS + i - 1, CORNERS + i]);
  const streetTags: Record<number, Readonly<Record<string, string>>> = {};
  const cornerTags: Record<number, Readonly<Record<string, string>>> = {};
  const connect = (a: number, b: number, tags: Readonly<Record<string, string>>) => {
    streetTags[streets.length] = tags;
    streets.push([a, b]);
  };
  connect(10, CORNERS + 10, { highway: 'steps' });
  const halfway = (east: number, north: number) => corners.push(pointAt(east, north)) - 1;
  const [below, above] = [halfway(1_100, 199.5), halfway(1_100, 200.5)];
  connect(11, below, { highway: 'footway' });
  connect(below, above, { highway: 'elevator', ...lift });
  connect(above, CORNERS + 11, { highway: 'footway' });
  for (const [corner, kerb] of [
    [12, 'raised'],
    [13, 'lowered'],
  ] as const) {
    const curb = halfway(100 * corner, 200);
    cornerTags[curb] = { kerb };
    connect(corner, curb, { highway: 'footway' });
    connect(curb, CORNERS + corner, { highway: 'footway' });
  }
  const [south, north] = [pointAt(1_000, -36), pointAt(1_000, 436)];
  const blocks = [south, north, pointAt(5_500, -36)];
  return { corners, streets, streetTags, cornerTags, blocks, shops: [north] };
}

describe.each([
  ['in service', {}, 1.25 + 199.5 / 80 + 1 + 199.5 / 80 + 1.25],
  ['out of service', { operational_status: 'out_of_order' }, 3.75 + 5 + 3.75],
])('with the lift %s', (_, lift, down) => {
  const stepFree = 0.45 + down + 0.45;
  const folder = folderOfTests();
  let proxy: ProxyHarness;
  let key: string;
  beforeAll(async () => {
    const trips = Array.from({ length: 90 }, (_, i) => tripFrom(480 + i, { A: 0, B: 4 }));
    const feed = await writeFeed(
      path.join(folder, 'feed.zip'),
      avenueFeed({ A: 1_000, B: 5_500 }, trips),
    );
    const options = { serviceDate: '2026-03-12', furtherModes: FURTHER_MODES };
    const built = await buildSmallCity(folder, hill(lift), [feed], options);
    expect(await faultsIn(built.release.store)).toEqual([]);
    await built.close();
    proxy = await openProxy(path.join(folder, 'store'));
    key = (await proxy.customer({ tokens: 10_000 })).key;
  }, 120_000);
  afterAll(() => proxy?.close());

  test('each way to walk takes its minutes, by every route', async () => {
    const minutes: readonly (readonly [Mode, number])[] = [
      ['walk', 5.9],
      ['walk_slow', 8.85],
      ['step_free', stepFree],
    ];
    const [south, north] = [blockGeoid(0), blockGeoid(1)];
    const get = async (url: string) => (await proxy.get(url, key)).json();
    for (const [mode, exact] of minutes) {
      const { results } = await get(`/v1/blocks/${south}/pois?mode=${mode}`);
      const shop = results.find(({ name }: { name: string }) => name === 'Shop 0');
      expect(shop).toMatchObject({ mode, travel_time: expect.any(Number) });
      expect(Math.abs(shop.travel_time - exact)).toBeLessThanOrEqual(0.0501);
      const trip = await get(`/v1/blocks/${south}/explain?to=${north}&mode=${mode}`);
      expect(trip).toMatchObject({ mode, travel_time: Math.ceil(exact) });
      expect(trip.legs).toMatchObject([{ kind: 'walk' }]);
    }
  });

  test('transit without steps begins with the walk without steps, and its legs say so', async () => {
    const [north, east] = [blockGeoid(1), blockGeoid(2)];
    const walks: readonly (readonly [Mode, number])[] = [
      ['transit', 0.45 + 5],
      ['transit_step_free', 0.45 + down],
    ];
    for (const [mode, walk] of walks) {
      // Riders are at the stop a minute before a vehicle leaves, as one does each whole minute.
      const exact = Math.ceil(walk + 1) + 4 + 0.45;
      const url = `/v1/blocks/${north}/explain?to=${east}&mode=${mode}`;
      const { travel_time, legs } = await (await proxy.get(url, key)).json();
      expect([mode, travel_time]).toEqual([mode, Math.ceil(exact)]);
      const kinds = legs.map(({ kind }: { kind: string }) => kind);
      expect(kinds).toEqual(['walk', 'wait', 'ride', 'walk']);
      const minutes = legs.map(({ minutes }: { minutes: number }) => minutes);
      expect(minutes.reduce((sum: number, one: number) => sum + one)).toBeCloseTo(travel_time, 6);
    }
  });

  test('assumptions state what the modes are', async () => {
    const { assumptions, modes } = await (await proxy.get('/v1/isochrone/meta')).json();
    expect(modes).toEqual(ALL);
    expect(assumptions).toMatchObject({
      walk_speed_kmh: 4.8,
      walk_slow_speed_kmh: 3.2,
      step_free: expect.stringContaining('without stairs'),
      step_free_unknown: expect.stringContaining('passed'),
      transit_step_free: expect.stringContaining('wheelchair_boarding'),
      transit_step_free_unknown: expect.stringContaining('passed'),
      transit_step_free_stated: { stops: 2, stops_stated: 0, trips_stated: 0 },
    });
    expect(assumptions).not.toHaveProperty('step_free_transit');
  });
});

describe('the demo city with all modes', () => {
  const folder = folderOfTests();
  let release: Release;
  let proxy: ProxyHarness;
  let plain: ProxyHarness;
  let key: string;
  beforeAll(async () => {
    const store = new FolderStore(path.join(folder, 'store'));
    // The inputs that the store has prepared are taken over.
    await cp(inject('demoStore'), path.join(folder, 'store'), { recursive: true });
    const request = { ...demoRequest(inject('demoCity')), furtherModes: FURTHER_MODES };
    await buildRelease(request, store, silent);
    release = await releaseIn(store);
    proxy = await openProxy(path.join(folder, 'store'));
    plain = await openProxy(inject('demoStore'));
    key = (await proxy.customer({ tokens: 1e9 })).key;
  }, 300_000);
  afterAll(async () => {
    await proxy?.close();
    await plain?.close();
    await release?.store.close();
  });

  test('the release is sound', async () => {
    expect(release.manifest.modes).toEqual(ALL);
    expect(await faultsIn(release.store)).toEqual([]);
  });

  test('walks, rides and transit are those of a release without further modes', async () => {
    const before = plain.releases.current;
    const differing: string[] = [];
    let compared = 0;
    for (const [fips, county] of Object.entries(release.manifest.counties)) {
      for (const kind of ['pois', 'reach-from', 'reach-to', 'catchment', 'nth-nearest'] as const) {
        const [own, other] = await Promise.all([
          Matrix.open(release.store, county.objects[kind]!),
          Matrix.open(before.store, before.county(fips)!.objects[kind]!),
        ]);
        expect([own.origins, own.targets]).toEqual([other.origins, other.targets]);
        for (let row = 0; row < own.origins.length; row++) {
          const [modes, usual] = [await own.row(row), await other.row(row)];
          if (isDeepStrictEqual(modes.slice(0, 3), usual)) compared++;
          else differing.push(`${kind}/${fips} ${row}`);
        }
      }
    }
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(2_000);
  });

  test('every request that has a mode takes each of them, and is refused where a release lacks it', async () => {
    const other = (await plain.customer({ tokens: 1e6 })).key;
    const { paths } = await readDocument(proxy);
    const asked: string[] = [];
    for (const [route, { get, post }] of Object.entries(paths)) {
      for (const operation of [get, post]) {
        if (operation === undefined) continue;
        const { url, body } = exampleRequest(route, operation);
        const sent = JSON.stringify(body ?? null);
        const hasMode =
          operation.parameters?.some(({ name }) => name === 'mode') || sent.includes('"mode"');
        if (!hasMode) continue;
        asked.push(route);
        for (const mode of ALL) {
          const { pathname, searchParams } = new URL(url, 'http://proxy');
          if (operation.parameters?.some(({ name, in: at }) => name === 'mode' && at === 'query')) {
            searchParams.set('mode', mode);
          }
          const own = pathname.replace(/\/tiles\/(walk|bike|transit)\//, `/tiles/${mode}/`);
          const inMode = sent.replaceAll(/"mode":(\["\w+"(?:,"\w+")*\]|"\w+")/g, (_, was) =>
            was.startsWith('[') ? `"mode":["${mode}"]` : `"mode":"${mode}"`,
          );
          const response = body
            ? await proxy.post(own, key, JSON.parse(inMode))
            : await proxy.get(`${own}?${searchParams}`, key);
          // Changes name releases, which the other store does not have.
          if (body && mode === 'step_free' && own !== '/v1/changes') {
            const lacking = await plain.post(own, other, JSON.parse(inMode));
            expect([own, lacking.statusCode]).toEqual([own, 400]);
            expect(lacking.json().detail).toContain(
              'no mode step_free; it has walk, bike, transit',
            );
          }
          const refused = response.statusCode >= 300 ? response.body : '';
          expect([mode, own, response.statusCode, refused]).toEqual([
            mode,
            own,
            expect.toBeOneOf([200, 204]),
            '',
          ]);
        }
      }
    }
    expect(asked.length).toBeGreaterThan(20);
  });

  test('assistants are told of the modes, and may ask for them', async () => {
    const ask = async (method: string, params: object) => {
      const message = { jsonrpc: '2.0', id: 1, method, params };
      return (await proxy.post('/mcp', key, message, { accept: 'application/json' })).json().result;
    };
    const { tools } = await ask('tools/list', {});
    const { inputSchema } = tools.find(({ name }: { name: string }) => name === 'explain_block');
    expect(inputSchema.properties.modes.items.enum).toEqual(ALL);
    const [county] = Object.values(release.manifest.counties);
    const { geoids } = await release.index(county);
    const origin = String(geoids[10]).padStart(15, '0');
    const call = { types: ['libraries'], modes: ['step_free', 'walk'], origin };
    const { structuredContent } = await ask('tools/call', {
      name: 'explain_block',
      arguments: call,
    });
    expect(Object.keys(structuredContent.minutes)).toEqual(['step_free', 'walk']);
  });

  test('exported tables have their rows and links, and are sound', async () => {
    const store = new FolderStore(path.join(folder, 'store'));
    const request = {
      tables: ['blocks', 'nearest', 'access'],
      counties: [],
      format: 'csv',
    } as const;
    const exported = await publishExports(await releaseIn(store), request, store, silent);
    expect(await faultsIn(store)).toEqual([]);
    for (const { table, object } of exported) {
      const [head, ...lines] = new TextDecoder()
        .decode(await store.readRange(object, 0, object.bytes))
        .split('\n');
      const column = head.split(',').indexOf('mode');
      if (table === 'blocks') expect(head).toContain('bike_linked,step_free_linked');
      else if (column !== -1) {
        const modes = new Set(lines.filter(Boolean).map((line) => line.split(',')[column]));
        expect([table, [...modes].sort()]).toEqual([table, [...ALL].sort()]);
      }
    }
    await store.close();
  });

  test('the modes are listed wherever modes are, and the document has them', async () => {
    const listed = (await proxy.get('/v1/meta/modes')).json().modes;
    expect(
      listed.map(({ mode_id, mode }: { mode_id: number; mode: Mode }) => [mode_id, mode]),
    ).toEqual(ALL.map((mode, i) => [i + 1, mode]));
    const document = (await proxy.get('/openapi.json')).json();
    expect(document.components.schemas.Mode.enum).toEqual(ALL);
    const archives = (await proxy.get('/v1/meta/tiles')).json().archives;
    const banded = new Set(archives.map(({ mode }: { mode?: Mode }) => mode).filter(Boolean));
    expect([...banded].sort()).toEqual([...ALL].sort());
    const wrong = await proxy.get('/v1/isochrone?block=0&minutes=10&mode=drive', key);
    expect(wrong.json().detail).toContain(`must be one of ${ALL.join(', ')}`);
    const lacking = await plain.customer({ tokens: 10 });
    const refused = await plain.get('/v1/isochrone?block=0&minutes=10&mode=step_free', lacking.key);
    expect(refused.json().detail).toContain('must be one of walk, bike, transit');
  });
});
