import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { planCity } from '../../infra/demo/city-plan.ts';
import { streetNames } from '../../infra/demo/names.ts';
import type { OsmNode, OsmWay } from '../../infra/demo/osm-elements.ts';
import { osmCity } from '../../infra/demo/osm-file.ts';
import { writePbf } from '../../infra/demo/pbf-writer.ts';
import { planTransit } from '../../infra/demo/transit-plan.ts';
import type { ReleaseNotes } from '../../shards/release/release-notes.ts';
import { takeLock } from '../../shards/store/lock-file.ts';
import type { BoundingBox } from '../../shards/units.ts';
import {
  CITY,
  COUNTY,
  catalogue,
  layOutMaryland,
  OVERTURE,
  PATHS,
  putOsm,
} from '../fetch/maryland.ts';
import { Mirror } from '../fetch/mirror.ts';
import { putOverture } from '../fetch/overture-file.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests, type Ended, TTA } from '../support/tta.ts';
import { AGENCY, service } from '../transit/feed-records.ts';
import { writeFeed } from '../transit/gtfs-text.ts';

const folder = folderOfTests();
const SECRET = `whsec_${Buffer.from('thirty-two bytes of a secret key').toString('base64')}`;
const SECOND_FEED = '/mdb-300/latest.zip';

let mirror: Mirror;
let box: BoundingBox;
const received: { headers: IncomingHttpHeaders; body: string }[] = [];
/** The status of the next responses of the receiver of events; 204 once there is none. */
const statuses: number[] = [];
let receiver: string;

beforeAll(async () => {
  mirror = await Mirror.start();
  box = await layOutMaryland(mirror, path.join(folder, 'city'));
  const rows = [
    catalogue(box, `${mirror.url}${PATHS.feed}`),
    catalogue(box, `${mirror.url}${SECOND_FEED}`),
  ];
  const second = rows[1]
    .split('\n')[1]
    .replace('mdb-247', 'mdb-300')
    .replace('Demo Transit', 'Shuttle');
  mirror.put(PATHS.catalogue, `${rows[0]}${second}\n`);
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 204).end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
  return async () => {
    server.close();
    await mirror.close();
  };
});

interface Week {
  readonly nodes?: (node: OsmNode) => OsmNode | null;
  readonly ways?: (way: OsmWay) => OsmWay | null;
  /** Days of the week on which the second feed runs. */
  readonly days?: string;
  readonly places?: number;
}

function drawnCity() {
  const plan = planCity(CITY);
  const names = streetNames(plan);
  return osmCity(plan, names, planTransit(plan, names));
}

/** Serves the inputs of a week. */
async function begin({ nodes, ways, days = '1111100', places = 1 }: Week): Promise<void> {
  const city = drawnCity();
  const edited = <T>(all: Iterable<T>, edit: (one: T) => T | null = (one) => one) =>
    [...all].map(edit).filter((one) => one !== null);
  const file = path.join(folder, 'week.osm.pbf');
  await writePbf(file, {
    box: city.box,
    timestamp: new Date('2026-01-01T00:00:00Z'),
    nodes: () => edited(city.nodes(), nodes),
    ways: () => edited(city.ways(), ways),
    relations: () => city.relations(),
  });
  putOsm(mirror, PATHS.osm, await readFile(file));
  const at = { lon: (box.minLon + box.maxLon) / 2, lat: (box.minLat + box.maxLat) / 2 };
  const stores = Array.from({ length: places }, (_, i) => ({
    id: `p${i}`,
    name: `Corner Store ${i}`,
    category: 'grocery_store',
    lon: at.lon + i * 0.002,
    lat: at.lat,
  }));
  putOverture(mirror, { label: OVERTURE, files: [stores] }, { rowsPerGroup: 10 });
  const stops = [0, 1].map((i) => ({
    stop_id: `s${i}`,
    stop_name: `Shuttle ${i}`,
    stop_lat: at.lat,
    stop_lon: at.lon + i * 0.004,
  }));
  const trips = Array.from({ length: 12 }, (_, i) => ({ leaves: 7 * 60 + 10 * i, id: `t${i}` }));
  const clock = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`;
  const feed = await writeFeed(path.join(folder, 'second.zip'), {
    'agency.txt': [{ ...AGENCY, agency_name: 'Shuttle' }],
    'stops.txt': stops,
    'routes.txt': [{ route_id: 'R', agency_id: 'A', route_short_name: 'R', route_type: 3 }],
    'calendar.txt': [service('daily', days, 20260101, 20271231)],
    'trips.txt': trips.map(({ id }) => ({ route_id: 'R', service_id: 'daily', trip_id: id })),
    'stop_times.txt': trips.flatMap(({ id, leaves }) =>
      stops.map(({ stop_id }, i) => {
        const time = clock(leaves + 3 * i);
        return { trip_id: id, arrival_time: time, departure_time: time, stop_id, stop_sequence: i };
      }),
    ),
  });
  mirror.put(SECOND_FEED, await readFile(feed));
}

const env = () => ({
  GEOFABRIK_URL: mirror.url,
  CENSUS_URL: mirror.url,
  LODES_URL: mirror.url,
  MOBILITY_URL: `${mirror.url}${PATHS.catalogue}`,
  OVERTURE_URL: mirror.url,
  WEBHOOK_URL: receiver,
  WEBHOOK_SECRET: SECRET,
});
const flagsFor = (name: string) => [
  ...['--inputs', path.join(folder, `${name}-inputs`), '--out', path.join(folder, name)],
  ...['--county', COUNTY, '--fresh', '--no-tiles'],
];
const runIn = commandsOfTests();
const refresh = (name: string, ...flags: string[]) =>
  runIn(env(), 'refresh', ...flagsFor(name), ...flags);

/** Names, sizes and times of all files of a store but its locks. */
async function filesOf(name: string): Promise<Record<string, string>> {
  const root = path.join(folder, name);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/lock/.test(entry.name));
  const described = files.map(async (entry) => {
    const file = path.join(entry.parentPath, entry.name);
    const { size, mtimeMs } = await stat(file);
    return [path.relative(root, file), `${size} ${mtimeMs}`] as const;
  });
  return Object.fromEntries(await Promise.all(described));
}

const jsonIn = async (name: string, file: string) =>
  JSON.parse(await readFile(path.join(folder, name, file), 'utf8'));
const latestOf = (name: string): Promise<{ release: string; manifest: string }> =>
  jsonIn(name, 'latest.json');
const notesOf = async (name: string): Promise<ReleaseNotes> =>
  jsonIn(name, (await latestOf(name)).manifest.replace('manifests', 'notes'));

/** A shop is renamed, a cafe opens, and a street changes its surface. */
const ORDINARY: Week = {
  nodes: (node) =>
    node.tags.shop === 'bakery' ? { ...node, tags: { ...node.tags, name: 'Renamed' } } : node,
  ways: (way) =>
    way.tags.highway === 'footway' ? { ...way, tags: { ...way.tags, surface: 'gravel' } } : way,
  places: 2,
};

test('weeks come and go: news is published, a bad week is refused, and the next good one is published', async () => {
  const lines = ({ stdout }: Ended) => stdout.trimEnd().split('\n');
  await begin({});
  statuses.push(400);
  const first = await refresh('weekly');
  expect([first.code, lines(first)[0]]).toEqual([
    0,
    expect.stringMatching(/^promoted release \S+$/),
  ]);
  expect(first.stderr).toMatch(
    /warning: not announced: webhook at 127\.0\.0\.1:\d+: responded with 400/,
  );
  expect(first.stderr).not.toContain('secret');
  const { release } = await latestOf('weekly');

  // Nothing changed: no byte of the store is written, but for the event that did not arrive.
  const same = await refresh('weekly');
  expect([same.code, same.stdout]).toEqual([3, `nothing new: release ${release} stays\n`]);
  const events = received.map(({ body }) => JSON.parse(body));
  expect(events.map(({ type, data }) => [type, data.release])).toEqual([
    ['release.promoted', release],
    ['release.promoted', release],
  ]);
  expect(received[1].headers['webhook-id']).toBe(received[0].headers['webhook-id']);
  const before = await filesOf('weekly');
  mirror.takeSent();
  expect((await refresh('weekly')).code).toBe(3);
  expect(mirror.takeSent()).toBe(0);
  expect(await filesOf('weekly')).toEqual(before);
  expect(received).toHaveLength(2);

  await begin(ORDINARY);
  const ordinary = await refresh('weekly');
  expect([ordinary.code, lines(ordinary)[0]]).toEqual([0, `promoted release ${release}.2`]);
  const notes = await notesOf('weekly');
  expect(notes.before?.release).toBe(release);
  const { headers, body } = received.at(-1)!;
  expect(JSON.parse(body)).toMatchObject({
    type: 'release.promoted',
    data: { release: `${release}.2`, before: { release }, reasons: [] },
  });
  const signedText = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64').toString('hex');
  const hmac = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key}`, '-binary'];
  const signature = execFileSync('openssl', hmac, { input: signedText }).toString('base64');
  expect(headers['webhook-signature']).toBe(`v1,${signature}`);

  // The second feed runs on Sundays only, cafes are gone, and the streets of the west are closed.
  const east = box.minLon + 0.8 * (box.maxLon - box.minLon);
  const isWestern = new Set<number>();
  const bad: Week = {
    nodes: (node) => {
      if (node.lon < east) isWestern.add(node.id);
      return node.tags.amenity === 'cafe' ? null : node;
    },
    ways: (way) =>
      way.refs.some((ref) => isWestern.has(ref)) || way.tags.amenity === 'cafe' ? null : way,
    days: '0000001',
  };
  await begin(bad);
  const good = await latestOf('weekly');
  const refused = await refresh('weekly');
  expect([refused.code, lines(refused)[0]]).toEqual([
    4,
    `refused release ${release}.3; ${release}.2 stays, and tta release promote ${release}.3 publishes it anyway`,
  ]);
  const reasons = lines(refused).filter((line) => line.startsWith('  because: '));
  expect(reasons).toEqual(
    expect.arrayContaining([
      '  because: lost 1 of 2 feeds: mdb-300.zip (no trip runs on any weekday)',
      expect.stringMatching(/because: [\d,]+ of [\d,]+ times to the nearest moved by five minutes/),
      expect.stringMatching(/because: cafes: 0 POIs, \d+ before/),
    ]),
  );
  expect(await latestOf('weekly')).toEqual(good);
  expect(JSON.parse(received.at(-1)!.body)).toMatchObject({
    type: 'release.refused',
    data: { release: `${release}.3` },
  });

  // The same again, which writes nothing and announces nothing.
  const kept = await filesOf('weekly');
  const again = await refresh('weekly');
  expect([again.code, again.stdout]).toEqual([4, refused.stdout]);
  expect(await filesOf('weekly')).toEqual(kept);
  expect(received).toHaveLength(4);

  await begin({ ...ORDINARY, places: 3 });
  expect((await refresh('weekly')).code).toBe(0);
  expect((await notesOf('weekly')).before?.release).toBe(`${release}.2`);

  // A rollback lasts.
  expect(
    (await runIn({}, 'release', 'promote', release, '--store', path.join(folder, 'weekly'))).code,
  ).toBe(0);
  const after = await refresh('weekly');
  expect([after.code, after.stdout]).toEqual([
    3,
    `nothing new: release ${release}.4, which these inputs give, was replaced by ${release}; tta release promote ${release}.4 restores it\n`,
  ]);
  expect((await latestOf('weekly')).release).toBe(release);
});

test('a refresh that is killed at any step goes on with the same command, to the same objects', async () => {
  await begin({});
  expect((await refresh('killed')).code).toBe(0);
  const first = await latestOf('killed');
  await begin(ORDINARY);
  for (const step of [/streets and census/, /link/, /reach/]) {
    const args = [TTA, 'refresh', ...flagsFor('killed')];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env() } });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (step.test(said)) child.kill('SIGKILL');
    });
    const [code] = await once(child, 'close');
    expect([code, said.split('\n').at(-1)]).toEqual([null, expect.anything()]);
    expect(await latestOf('killed')).toEqual(first);
  }
  // The swap itself fails.
  const lock = await takeLock(path.join(folder, 'killed', 'latest.json.lock'));
  const unswapped = await refresh('killed');
  expect([unswapped.code, unswapped.stderr]).toEqual([
    1,
    expect.stringMatching(/latest\.json.* is being replaced by /),
  ]);
  expect(await latestOf('killed')).toEqual(first);
  if (lock.taken) await lock.release();
  const done = await refresh('killed');
  expect([done.code, done.stdout]).toEqual([
    0,
    expect.stringMatching(/^promoted release \S+\.2\n/),
  ]);
  expect((await refresh('fresh')).code).toBe(0);
  const manifests = ['killed', 'fresh'].map(async (name) =>
    jsonIn(name, (await latestOf(name)).manifest),
  );
  const [killed, fresh] = await Promise.all(manifests);
  expect(killed).toEqual({ ...fresh, release: killed.release });
});

test('a refresh does not replace the inputs of another that has not ended', async () => {
  const inputs = path.join(folder, 'shared-inputs');
  await mkdir(inputs);
  const lock = await takeLock(path.join(inputs, '.refresh-lock'));
  mirror.takeSent();
  const second = await refresh('shared');
  expect([second.code, second.stderr]).toEqual([
    1,
    `tta: ${inputs}: another refresh (process ${process.pid}) is writing to it; wait for it, or use another --inputs\n`,
  ]);
  expect(mirror.takeSent()).toBe(0);
  if (lock.taken) await lock.release();
});

test('what cannot be refreshed is told in a line, and nothing is published', async () => {
  for (const [args, settings, line] of [
    [['--out', folder], {}, /give --inputs, the folder to download to/],
    [
      ['--inputs', path.join(folder, 'none'), '--out', folder],
      {},
      /none: holds no complete download; check the path/,
    ],
    [
      ['--inputs', folder, '--out', folder, '--max-feeds-lost', 'x'],
      {},
      /--max-feeds-lost="x": is not a percentage from 0 to 100/,
    ],
    [
      ['--inputs', folder, '--out', folder],
      { WEBHOOK_URL: receiver },
      /WEBHOOK_SECRET: is required with WEBHOOK_URL/,
    ],
    [
      ['--inputs', folder, '--out', folder],
      { WEBHOOK_URL: receiver, WEBHOOK_SECRET: 'whsec_c2hvcnQ=' },
      /WEBHOOK_SECRET: is not whsec_/,
    ],
  ] as const) {
    const { code, stderr } = await runIn(settings, 'refresh', ...args);
    const isOfArguments = /^tta: (settings: |--|give )/m.test(stderr);
    expect([code, stderr]).toEqual([isOfArguments ? 2 : 1, expect.stringMatching(line)]);
    expect(stderr).not.toMatch(/\n\s+at |secret-path|c2hvcnQ/);
  }
});
