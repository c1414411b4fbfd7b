import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { BuildError } from '../../builder/errors.ts';
import { dateFeeds, outlineFeeds } from '../../builder/transit/date-feeds.ts';
import { readFeeds } from '../support/read-feeds.ts';
import { leastOf, standardWorks } from '../support/standard-work.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { busFeed, busLine } from './bus-town.ts';
import { service } from './feed-records.ts';
import { csv, type FeedTables, gtfsTime } from './gtfs-text.ts';

/** The maximum cost of reading any feed, in standard works: some seconds of a processor. */
const SOON = 800;
const TRIES = 2;

/** 2026-03-11, as days since 1970. */
const NEAR = Date.UTC(2026, 2, 11) / 86_400_000;

const folder = folderOfTests();

let feeds = 0;

/** Reads a feed, some of its files given as texts; expects an end soon, whatever the outcome. */
async function read(tables: FeedTables, texts: Readonly<Record<string, string>> = {}) {
  const file = path.join(folder, `${++feeds}.zip`);
  const zip = new ZipFile();
  const files = Object.entries(tables).map(([name, records]) => [name, csv(records)] as const);
  for (const [name, text] of new Map([...files, ...Object.entries(texts)])) {
    zip.addBuffer(Buffer.from(text), name);
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
  const outcomes: PromiseSettledResult<Awaited<ReturnType<typeof readFeeds>>>[] = [];
  const readOnce = async () => {
    const reading = outlineFeeds([file], { asked: null, near: NEAR })
      .then((outlined) => dateFeeds(outlined))
      .then(readFeeds);
    outcomes.push(...(await Promise.allSettled([reading])));
  };
  expect(await leastOf(TRIES, () => standardWorks(readOnce), SOON)).toBeLessThan(SOON);
  const [outcome] = outcomes;
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** The message of the refusal, which names the feed and is one line. */
async function refusal(tables: FeedTables, texts: Readonly<Record<string, string>> = {}) {
  const error = await read(tables, texts).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BuildError);
  const { message } = error as BuildError;
  expect(message).toContain(`${feeds}.zip: `);
  expect(message).not.toContain('\n');
  return message;
}

/** A call of one of the existing trips, after all other calls of that trip. */
const calledAt = (stop_id: string, i: number) => ({
  trip_id: `t${i % 18}`,
  stop_id,
  stop_sequence: 100 + i,
  arrival_time: '10:30:00',
  departure_time: '10:30:00',
});

const repeated = (headway: number | string, until: string, trip = 't0') => ({
  trip_id: trip,
  start_time: '00:00:00',
  end_time: until,
  headway_secs: headway,
  exact_times: 1,
});

test.each([
  ['a thousandth of a second', 0.001, '24:00:00', 'headway under 5 s; left out'],
  ['a second, for six weeks', 1, '999:30:00', 'no valid times or headway; left out'],
  ['a second, for a day', 1, '24:00:00', 'headway under 5 s; left out'],
  ['no end of time', 'Infinity', '24:00:00', 'no valid times or headway; left out'],
])('a headway of %s is counted, and left out with its trip', async (_, headway, until, problem) => {
  const [, ...others] = busLine();
  const without = await read(busFeed({}, others));
  const odd = await read(busFeed({ 'frequencies.txt': [repeated(headway, until)] }));
  expect(odd.facts[0].problems).toEqual([
    { file: 'frequencies.txt', problem, rows: 1, first_line: 2 },
    {
      file: 'trips.txt',
      problem: 'no usable row in frequencies.txt; left out',
      rows: 1,
      first_line: 2,
    },
  ]);
  expect(odd.transit.timetable).toEqual(without.transit.timetable);
});

test.each([
  [205, '167:59:59'],
  [3_000, '24:00:00'],
])(
  'trips repeated millions of times by %i rows until %s are refused, by trip',
  async (length, until) => {
    const rows = Array.from({ length }, (_, i) => {
      return { ...repeated(5, until), start_time: gtfsTime(i) };
    });
    expect(await refusal(busFeed({ 'frequencies.txt': rows }))).toMatch(
      /frequencies\.txt: .*trip t0.* more than 500000 of them/,
    );
  },
);

test('impossible times beyond a week are treated as blank', async () => {
  const tables = busFeed();
  const [first, ...rest] = tables['stop_times.txt'];
  const late = { ...first, arrival_time: '168:00:01', departure_time: '999:00:00' };
  const { facts } = await read({ ...tables, 'stop_times.txt': [late, ...rest] });
  const reported = facts[0].problems.map(({ problem }) => problem);
  expect(reported).toContain('impossible arrival_time; treated as blank');
  expect(reported).toContain('impossible departure_time; treated as blank');
});

test('an unclosed quote takes its own row alone, early in a table or late', async () => {
  const tables = busFeed();
  const lines = csv(tables['stop_times.txt']).trimEnd().split('\n');
  const many = Array.from({ length: 400_000 }, (_, i) => `x${i},A,${i},08:00:00,08:00:00`);
  const early = [lines[0], lines[1], `"${lines[2]}`, ...lines.slice(3), ...many];
  const late = [...lines, '"x,A,1,08:00:00,08:00:00', ''];
  for (const [rows, line] of [
    [early, 3],
    [late, lines.length + 1],
  ] as const) {
    const { facts } = await read(tables, { 'stop_times.txt': rows.join('\n') });
    expect(facts[0].problems).toContainEqual({
      file: 'stop_times.txt',
      problem: 'a quote that is not closed; left out',
      rows: 1,
      first_line: line,
    });
  }
});

test('a header of a million columns is refused', async () => {
  const header = `stop_id,stop_lat,stop_lon,${'x,'.repeat(1e6)}`;
  expect(await refusal(busFeed(), { 'stops.txt': header })).toMatch(
    /stops\.txt: line 1 is longer than 65536 characters/,
  );
});

test('a table that unpacks to a thousand times its size is refused before it is unpacked', async () => {
  const text = `stop_id,stop_lat,stop_lon\n${'\n'.repeat(40 * 2 ** 20)}`;
  expect(await refusal(busFeed(), { 'stops.txt': text })).toMatch(
    /stops\.txt would unpack to 41943066 bytes, from \d+; the limit is 16777216:/,
  );
});

test('more records than any real feed has, including empty ones, are refused', async () => {
  const text = `agency_name,agency_timezone\n${'\n'.repeat(200_000)}`;
  expect(await refusal(busFeed(), { 'agency.txt': text })).toMatch(
    /agency\.txt: has more than 100000 records/,
  );
});

test('a hundred thousand unlimited services are read quickly', async () => {
  const trips = busLine();
  const tables = busFeed({}, trips);
  const services = Array.from({ length: 100_000 }, (_, i) =>
    service(`s${i}`, '1111111', 19000101, 99991231),
  );
  const ofThem = services.map(({ service_id }, i) => ({
    route_id: 'R',
    trip_id: `x${i}`,
    service_id,
  }));
  const { facts } = await read({
    ...tables,
    'calendar.txt': [...tables['calendar.txt'], ...services],
    'trips.txt': [...tables['trips.txt'], ...ofThem],
  });
  // In 2026 the feed's own service runs, too; days with the others alone are far.
  expect(facts[0].service_date).toBe('2026-03-11');
});

test('a trip of thousands of calls is left out, by line', async () => {
  const tables = busFeed();
  const calls = Array.from({ length: 2_001 }, (_, i) => ({
    trip_id: 'long',
    stop_id: i % 2 === 0 ? 'A' : 'B',
    stop_sequence: 1e9 + i,
    arrival_time: '08:00:00',
    departure_time: '08:00:00',
  }));
  const { facts } = await read({
    ...tables,
    'trips.txt': [...tables['trips.txt'], { route_id: 'R', service_id: 'daily', trip_id: 'long' }],
    'stop_times.txt': [...tables['stop_times.txt'], ...calls],
  });
  const line = 1 + tables['stop_times.txt'].length + calls.length;
  expect(facts[0].problems).toEqual([
    {
      file: 'stop_times.txt',
      problem: 'a trip with more than 2000 calls; left out',
      rows: 1,
      first_line: line,
    },
  ]);
});

test('pathways that join thousands of platforms to each other are refused, by stop', async () => {
  const tables = busFeed();
  const [stop] = tables['stops.txt'];
  const ids = Array.from({ length: 8_000 }, (_, i) => `P${i}`);
  expect(
    await refusal({
      ...tables,
      'stops.txt': [...tables['stops.txt'], ...ids.map((id) => ({ ...stop, stop_id: id }))],
      'stop_times.txt': [...tables['stop_times.txt'], ...ids.map(calledAt)],
      'pathways.txt': ids.map((id) => ({
        from_stop_id: 'P0',
        to_stop_id: id,
        is_bidirectional: 1,
        traversal_time: 60,
      })),
    }),
  ).toMatch(/pathways\.txt connects too many locations, P\d+ among them/);
});

test.each([
  ['platforms', 0],
  ['entrances', 2],
])('thousands of %s of one station are refused, by stop', async (_, location_type) => {
  const tables = busFeed();
  const [A] = tables['stops.txt'];
  const at = (stop_id: string, type: number) => ({
    ...A,
    stop_id,
    location_type: type,
    parent_station: 'S',
  });
  const platforms = Array.from({ length: 1_800 }, (_, i) => `P${i}`);
  const others = Array.from({ length: 1_800 }, (_, i) => at(`E${i}`, location_type));
  expect(
    await refusal({
      ...tables,
      'stops.txt': [
        { ...A, stop_id: 'S', location_type: 1 },
        ...tables['stops.txt'],
        ...platforms.map((id) => at(id, 0)),
        at('door', 2),
        ...others,
      ],
      'stop_times.txt': [...tables['stop_times.txt'], ...platforms.map(calledAt)],
    }),
  ).toMatch(/stops\.txt: a station has too many platforms and entrances, P\d+ among them/);
});

test('a rule for transfers between all platforms of a huge station is refused', async () => {
  const tables = busFeed();
  const [stop] = tables['stops.txt'];
  const ids = Array.from({ length: 1_800 }, (_, i) => `P${i}`);
  const platforms = ids.map((id) => ({ ...stop, stop_id: id, parent_station: 'A' }));
  const calls = ids.map((id, i) => ({
    trip_id: `t${i % 18}`,
    stop_id: id,
    stop_sequence: 100 + i,
    arrival_time: '10:30:00',
    departure_time: '10:30:00',
  }));
  const rule = { from_stop_id: 'A', to_stop_id: 'A', transfer_type: 2, min_transfer_time: 60 };
  expect(
    await refusal({
      ...tables,
      'stops.txt': [...tables['stops.txt'], ...platforms],
      'stop_times.txt': [...tables['stop_times.txt'], ...calls],
      'transfers.txt': [rule],
    }),
  ).toMatch(/transfers\.txt: with the rule from A to A, .* more than 3000000 pairs/);
});

test('thousands of rows with one error are one line of the report', async () => {
  const tables = busFeed();
  const [stop] = tables['stops.txt'];
  const lost = Array.from({ length: 5_000 }, (_, i) => ({
    ...stop,
    stop_id: `L${i}`,
    parent_station: `nowhere ${i}`,
  }));
  const { facts } = await read({
    ...tables,
    'stops.txt': [...tables['stops.txt'], ...lost],
    'frequencies.txt': Array.from({ length: 5_000 }, (_, i) => repeated(600, '9:00:00', `x${i}`)),
  });
  expect(facts[0].problems.map(({ file, rows }) => `${file} ${rows}`)).toEqual([
    'stops.txt 5000',
    'frequencies.txt 5000',
  ]);
});
