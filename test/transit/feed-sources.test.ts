import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { BuildError } from '../../builder/errors.ts';
import { readFeedOutline } from '../../builder/gtfs/feed-outline.ts';
import { openFeedSource } from '../../builder/gtfs/feed-source.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { AGENCY, service } from './feed-records.ts';
import { writeFeed } from './gtfs-text.ts';

const folder = folderOfEachTest();
const at = (name: string) => path.join(folder, name);
const TABLES = { 'stops.txt': [{ stop_id: 'a' }], 'trips.txt': [{ trip_id: 't' }] };

test.each([
  ['a folder', 'feed', {}],
  ['an archive', 'feed.zip', {}],
  ['an archive with a folder in it', 'feed.zip', { inFolder: 'inside/it' }],
])('the tables of a feed are read by name from %s', async (_, name, style) => {
  const file = await writeFeed(at(name), TABLES, style);
  const source = await openFeedSource(file);
  try {
    expect(source.path).toBe(file);
    expect(['stops.txt', 'trips.txt', 'levels.txt'].map((one) => source.has(one))).toEqual([
      true,
      true,
      false,
    ]);
    expect(await text(await source.stream('trips.txt'))).toBe('trip_id\nt\n');
  } finally {
    source.close();
  }
});

test('files of other kinds, and those that macOS adds, are no tables', async () => {
  const file = await writeFeed(at('feed.zip'), {
    ...TABLES,
    'notes.csv': [{ a: 1 }],
    '__MACOSX/stops.txt': [{ a: 1 }],
    '__MACOSX/levels.txt': [{ a: 1 }],
  });
  const source = await openFeedSource(file);
  expect(['notes.csv', 'levels.txt'].map((one) => source.has(one))).toEqual([false, false]);
  expect(await text(await source.stream('stops.txt'))).toBe('stop_id\na\n');
  source.close();
});

test('an archive with two feeds is refused by the table that it has twice', async () => {
  const file = await writeFeed(at('feed.zip'), { ...TABLES, 'other/trips.txt': [{ a: 1 }] });
  await expect(openFeedSource(file)).rejects.toThrow(BuildError);
  await expect(openFeedSource(file)).rejects.toThrow(
    `${file}: contains trips.txt twice (trips.txt, other/trips.txt); put each feed into an archive of its own`,
  );
});

/** Reads a table of a feed. */
async function tableOf(feed: string, table = 'trips.txt'): Promise<string> {
  const source = await openFeedSource(feed);
  try {
    return await text(await source.stream(table));
  } finally {
    source.close();
  }
}

const PAGE = Buffer.from(`\n<!doctype html><title>Feed</title>${' '.repeat(600)}</html>\n`);
const WARNING = Buffer.from('\n\nWarning: headers already sent\n');

test.each([
  ['after', (archive: Buffer) => Buffer.concat([archive, PAGE])],
  ['before', (archive: Buffer) => Buffer.concat([WARNING, archive])],
  ['around', (archive: Buffer) => Buffer.concat([WARNING, archive, PAGE, PAGE])],
])('bytes that a server adds %s an archive are passed over', async (_, add) => {
  const file = await writeFeed(at('feed.zip'), TABLES);
  await writeFile(file, add(await readFile(file)));
  expect(await tableOf(file)).toBe('trip_id\nt\n');
});

test('an archive that is cut off, or has another one before it, is refused', async () => {
  const archive = await readFile(await writeFeed(at('feed.zip'), TABLES));
  await writeFile(at('cut.zip'), archive.subarray(0, -1));
  await expect(openFeedSource(at('cut.zip'))).rejects.toThrow(
    `${at('cut.zip')}: not a readable zip archive (its end is missing); download it again`,
  );
  await writeFile(at('two.zip'), Buffer.concat([archive, archive]));
  await expect(openFeedSource(at('two.zip'))).rejects.toThrow(
    `${at('two.zip')}: not a readable zip archive (another archive, `,
  );
});

test('names of tables may be in capitals, in an archive and in a folder', async () => {
  const loud = { 'Stops.TXT': TABLES['stops.txt'], 'TRIPS.TXT': TABLES['trips.txt'] };
  for (const feed of [at('loud.zip'), at('loud')]) {
    expect(await tableOf(await writeFeed(feed, loud))).toBe('trip_id\nt\n');
  }
  const both = await writeFeed(at('both.zip'), { ...TABLES, 'TRIPS.TXT': [{ trip_id: 'u' }] });
  await expect(openFeedSource(both)).rejects.toThrow(
    `${both}: contains trips.txt twice (trips.txt, TRIPS.TXT); put each feed`,
  );
});

test.each(['/tmp/gtfs/', 'C:/gtfs/', 'C:\\gtfs\\', '../gtfs/'])(
  'names of tables may have the place that they were packed from: %s',
  async (place) => {
    // The library that writes archives refuses such names, so they are written over others.
    const same = 'x'.repeat(place.length - 1);
    const file = await writeFeed(at('feed.zip'), TABLES, { inFolder: same });
    const archive = (await readFile(file)).toString('latin1');
    await writeFile(
      file,
      archive.replaceAll(`${same}/`, () => place),
      'latin1',
    );
    expect(await tableOf(file)).toBe('trip_id\nt\n');
  },
);

/** Writes an archive of these files. */
async function zipOf(name: string, files: Readonly<Record<string, Buffer>>): Promise<string> {
  const zip = new ZipFile();
  for (const [file, bytes] of Object.entries(files)) zip.addBuffer(bytes, file);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(at(name)));
  return at(name);
}

test('the only archive inside an archive is the feed, unless the outer one has tables', async () => {
  const inner = await readFile(await writeFeed(at('inner.zip'), TABLES));
  const outer = await zipOf('outer.zip', {
    'readme.txt': Buffer.from('A feed.'),
    'in/GTFS.ZIP': inner,
    '__MACOSX/in/._GTFS.ZIP': Buffer.from('Mac'),
  });
  expect(await tableOf(outer)).toBe('trip_id\nt\n');
  const mixed = await zipOf('mixed.zip', {
    'trips.txt': Buffer.from('trip_id\nouter\n'),
    'old.zip': inner,
  });
  expect(await tableOf(mixed)).toBe('trip_id\nouter\n');
  const several = await zipOf('several.zip', { 'bus.zip': inner, 'rail.zip': inner });
  await expect(openFeedSource(several)).rejects.toThrow(
    `${several}: contains 2 archives (bus.zip, rail.zip); unpack it, and give those that are needed`,
  );
  const damaged = await zipOf('damaged.zip', { 'bus.zip': inner.subarray(0, -1) });
  await expect(openFeedSource(damaged)).rejects.toThrow(
    `${damaged}: bus.zip: not a readable zip archive (its end is missing)`,
  );
});

test('a file whose name only ends like that of a table does not hide the archive inside', async () => {
  const inner = await readFile(await writeFeed(at('inner.zip'), TABLES));
  const outer = await zipOf('outer.zip', {
    'old_stops.txt': Buffer.from('stop_id\nold\n'),
    'notes/my-trips.txt': Buffer.from('trip_id\nold\n'),
    'gtfs.zip': inner,
  });
  expect(await tableOf(outer)).toBe('trip_id\nt\n');
  const inFolder = await zipOf('in-folder.zip', {
    'feed/Trips.txt': Buffer.from('trip_id\nouter\n'),
    'old.zip': inner,
  });
  expect(await tableOf(inFolder)).toBe('trip_id\nouter\n');
});

/** Sets the two bytes of a field in every header of an archive, by its place in each kind. */
function withField(archive: Buffer, inLocal: number, inDirectory: number, value: number): Buffer {
  const changed = Buffer.from(archive);
  for (const [signature, field] of [
    ['PK\x03\x04', inLocal],
    ['PK\x01\x02', inDirectory],
  ] as const) {
    for (let i = changed.indexOf(signature); i !== -1; i = changed.indexOf(signature, i + 1)) {
      changed.writeUInt16LE(value, i + field);
    }
  }
  return changed;
}

test.each<[kind: string, says: string, field: [number, number, number]]>([
  ['encrypted', 'is encrypted; zip it again without a password', [6, 8, 1]],
  [
    'compressed by bzip2',
    'is compressed by a method other than Deflate; zip it again',
    [8, 10, 12],
  ],
  ['compressed by LZMA', 'is compressed by a method other than Deflate; zip it again', [8, 10, 14]],
] satisfies [string, string, [number, number, number]][])(
  'a table that is %s is not said to be damaged',
  async (_, says, field) => {
    const archive = await readFile(await writeFeed(at('feed.zip'), TABLES));
    await writeFile(at('other.zip'), withField(archive, ...field));
    await expect(tableOf(at('other.zip'))).rejects.toThrow(
      new BuildError(`${at('other.zip')}: trips.txt ${says}`),
    );
  },
);

test('a missing feed is refused by name', async () => {
  await expect(openFeedSource(at('none.zip'))).rejects.toThrow(BuildError);
  await expect(openFeedSource(at('none.zip'))).rejects.toThrow(at('none.zip'));
});

test('the outline of a feed has its zones with the box of each, its days and its trips', async () => {
  const file = await writeFeed(at('feed'), {
    'agency.txt': [AGENCY],
    'stops.txt': [
      { stop_id: 'a', stop_lat: 39, stop_lon: -76 },
      { stop_id: 'b', stop_lat: 40, stop_lon: -77 },
      { stop_id: 'west', stop_lat: 41, stop_lon: -87, stop_timezone: 'America/Chicago' },
      { stop_id: 'node', location_type: 3, stop_timezone: 'Asia/Tokyo' },
    ],
    'trips.txt': ['t', 'u'].map((id) => ({ trip_id: id, service_id: 'daily', route_id: 'red' })),
    'frequencies.txt': [
      { trip_id: 'u', start_time: '8:00:00', end_time: '9:00:00', headway_secs: 600 },
    ],
    'stop_times.txt': [],
    'calendar.txt': [service('daily', '1111100', 20260302, 20260313)],
    'feed_info.txt': [{ feed_id: 'ours', feed_publisher_name: 'City Hall' }],
  });
  const { zones, days, ...rest } = await readFeedOutline(file, 20_500);
  expect(rest).toEqual({
    path: file,
    agency: 'A to B',
    agencies: new Set(['a to b']),
    lines: new Set(),
    timeZone: 'America/New_York',
    info: { feedId: 'ours', publisher: 'City Hall', firstDay: null, lastDay: null },
    trips: 1 + 6,
    problems: [],
  });
  expect(zones).toEqual(
    new Map([
      ['America/New_York', { minLon: -77, minLat: 39, maxLon: -76, maxLat: 40 }],
      ['America/Chicago', { minLon: -87, minLat: 41, maxLon: -87, maxLat: 41 }],
    ]),
  );
  expect(days.ordinary.size).toBe(10);
});
