import { existsSync, readdirSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFeed } from '../../builder/gtfs/feed.ts';
import { readTrips } from '../../builder/gtfs/trips.ts';
import { writeZip } from '../../builder/inputs/zip-writer.ts';
import { UsageError } from '../../infra/errors.ts';
import { applyScenario } from '../../infra/scenario/apply-scenario.ts';
import { ScenarioError } from '../../infra/scenario/scenario-file.ts';
import { forAll } from '../support/for-all.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { gtfsTime } from '../transit/gtfs-text.ts';
import {
  at,
  callsOf,
  departures,
  type FeedTexts,
  madeFeed,
  readTexts,
  rowsOf,
  writeTexts,
} from './made-feed.ts';

/** Departures from one time to another, inclusive. */
function every(minutes: number, from: string, to: string): string[] {
  const times: string[] = [];
  for (let time = at(from); time <= at(to); time += minutes * 60) times.push(gtfsTime(time));
  return times;
}

/** Applies changes to a feed, both as folders; returns the changed feed, and what was said. */
async function changed(feed: FeedTexts, changes: string) {
  const folder = await folderOfThisTest();
  const [scenario, out] = [path.join(folder, 'change.yaml'), path.join(folder, 'out')];
  await writeFile(scenario, `scenario: Test\nchanges:\n${changes}`);
  const gtfs = await writeTexts(path.join(folder, 'in'), feed);
  const result = await applyScenario({ scenario, gtfs, out });
  const said = [...result.changes.flatMap(({ did }) => did), ...result.notes];
  return { texts: await readTexts(out), said, out };
}

/** The problems of a scenario, with its lines from that of the first change, which is 3. */
async function problemsOf(feed: FeedTexts, changes: string): Promise<string[]> {
  const error = await changed(feed, changes).catch((error) => error);
  expect(error).toBeInstanceOf(ScenarioError);
  return error.problems.map((problem: string) => problem.replace(/^.*change\.yaml:/, ''));
}

const FEED = madeFeed([
  { route: 'L', departures: every(20, '06:00', '09:00') },
  {
    route: 'L',
    direction: 1,
    stops: ['D', 'C', 'B', 'A'],
    departures: every(20, '06:05', '09:05'),
  },
  { route: 'N', departures: ['23:50:00', '24:20:00', '24:50:00'] },
]);

test('what a change does not touch keeps its bytes: files, columns, rows, line ends, quotes', async () => {
  const { texts } = await changed(
    FEED,
    '  - {change: adjust-headway, route: L, direction: 0, headway: 10 min}\n',
  );
  for (const [name, text] of Object.entries(FEED)) {
    if (name !== 'trips.txt' && name !== 'stop_times.txt') expect(texts[name]).toBe(text);
  }
  // The last row of trips had no line end.
  expect(texts['trips.txt'].startsWith(`${FEED['trips.txt']}\r\n`)).toBe(true);
  expect(texts['stop_times.txt'].startsWith(FEED['stop_times.txt'])).toBe(true);
});

test('half the headway doubles the departures, and the trips there are stay', async () => {
  const { texts, said } = await changed(
    FEED,
    '  - {change: adjust-headway, route: l, headway: 10 min}\n',
  );
  expect(departures(texts, 'L')).toEqual(every(10, '06:00', '09:00'));
  expect(departures(texts, 'L', 'WK', '1')).toEqual(every(10, '06:05', '09:05'));
  expect(departures(texts, 'N')).toEqual(departures(FEED, 'N'));
  // 20 trips of 16 minutes before, 38 after.
  expect(said.at(-1)).toBe('route L, service WK: 20 → 38 trips, 5.3 → 10.1 vehicle hours');
  const made = rowsOf(texts, 'trips.txt').find(({ trip_id }) => trip_id.endsWith('+06:10:00'))!;
  expect(callsOf(texts, made.trip_id)).toEqual([
    'A 06:10:00 06:10:00',
    'B',
    'C 06:20:00 06:20:00',
    'D 06:26:00 06:26:00',
  ]);
});

test('a headway is that of each way of a line whose feed names no directions', async () => {
  const feed = madeFeed([
    { route: 'L', departures: every(20, '06:00', '09:00') },
    { route: 'L', stops: ['A', 'C', 'D'], minutes: [0, 8, 14], departures: ['06:10:00'] },
    {
      route: 'L',
      direction: 1,
      stops: ['D', 'C', 'B', 'A'],
      departures: every(20, '06:05', '09:05'),
    },
  ]);
  const trips = feed['trips.txt'].replace(/"To ""\w""",[01],/g, ',,');
  const { texts, said } = await changed(
    { ...feed, 'trips.txt': trips },
    '  - {change: adjust-headway, route: L, headway: 5 min}\n',
  );
  const from = (stop: string) =>
    rowsOf(texts, 'stop_times.txt')
      .filter(({ stop_id, stop_sequence }) => stop_id === stop && stop_sequence === '10')
      .map(({ departure_time }) => departure_time)
      .sort();
  expect(from('A')).toEqual(every(5, '06:00', '09:00'));
  expect(from('D')).toEqual(every(5, '06:05', '09:05'));
  expect(said[0]).toContain('direction to D Street, service WK: every 5 min from 06:00 to 09:00');
  expect(said[1]).toContain('direction to A Street, service WK: every 5 min from 06:05 to 09:05');
});

test('a loop is one way, with the trips on a part of it; against it is another', async () => {
  const loop = (departures: string[], stops: string[], direction = 0) => {
    return { route: 'L', stops, minutes: [0, 4, 8, 12], departures, direction };
  };
  const feed = madeFeed([
    loop(every(20, '06:00', '09:00'), ['A', 'B', 'C', 'A']),
    loop(['05:58:00'], ['C', 'A']),
    loop(every(20, '06:05', '09:05'), ['A', 'C', 'B', 'A'], 1),
  ]);
  const trips = feed['trips.txt'].replace(/"To ""\w""",[01],/g, ',,');
  const change = '  - {change: adjust-headway, route: L, headway: 10 min}\n';
  const { said } = await changed({ ...feed, 'trips.txt': trips }, change);
  expect(said.filter((line) => line.includes('every 10 min')).length).toBe(2);
});

test('a headway between two times leaves the departures outside them', async () => {
  const { texts } = await changed(
    FEED,
    '  - {change: adjust-headway, route: L, direction: 0, from: 07:00, until: 08:00, headway: 15 min}\n',
  );
  expect(departures(texts, 'L')).toEqual([
    ...every(20, '06:00', '06:40'),
    ...every(15, '07:00', '07:45'),
    ...every(20, '08:00', '09:00'),
  ]);
});

test('a longer headway removes trips, what refers to them, and no others', async () => {
  const transfers =
    'from_stop_id,to_stop_id,from_trip_id,to_trip_id,transfer_type\nA,A,L-WK-0-06:20:00,N-WK-0-23:50:00,4\nA,A,L-WK-0-06:40:00,N-WK-0-23:50:00,4\nA,D,,,2\n';
  const { texts } = await changed(
    { ...FEED, 'transfers.txt': transfers },
    '  - {change: adjust-headway, route: L, direction: 0, headway: 40 min}\n',
  );
  expect(departures(texts, 'L')).toEqual(every(40, '06:00', '08:40'));
  expect(texts['transfers.txt']).toBe(transfers.replace(/.*06:20:00.*\n/, ''));
});

test('times after midnight remain in the service day', async () => {
  const { texts } = await changed(
    FEED,
    '  - {change: adjust-headway, route: N, headway: 15 min}\n',
  );
  expect(departures(texts, 'N')).toEqual(every(15, '23:50', '24:50'));
});

test('the patterns of a line keep their shares, with one headway where they run together', async () => {
  const feed = madeFeed([
    { route: 'L', departures: every(20, '06:00', '08:00') },
    {
      route: 'L',
      stops: ['B', 'C', 'E'],
      minutes: [0, 5, 12],
      departures: every(20, '06:15', '08:15'),
    },
  ]);
  const { texts } = await changed(feed, '  - {change: adjust-headway, route: L, headway: 5 min}\n');
  const atC = rowsOf(texts, 'stop_times.txt').filter(({ stop_id }) => stop_id === 'C');
  expect(atC.map(({ departure_time }) => departure_time).sort()).toEqual(
    every(5, '06:10', '08:20'),
  );
  const ends = rowsOf(texts, 'stop_times.txt').map(({ stop_id }) => stop_id);
  expect(
    ends.filter((stop) => stop === 'D').length - ends.filter((stop) => stop === 'E').length,
  ).toBe(1);
});

test('services of the same days are one timetable, which the service of all these days has', async () => {
  const feed = madeFeed([
    { route: 'L', departures: every(20, '06:00', '07:00') },
    { route: 'L', service: 'FR', departures: ['06:10:00'] },
    { route: 'L', service: 'SA', departures: every(30, '08:00', '09:00') },
  ]);
  const { texts } = await changed(
    feed,
    '  - {change: adjust-headway, route: L, headway: 10 min}\n',
  );
  expect(departures(texts, 'L')).toEqual(every(10, '06:00', '07:00'));
  expect(departures(texts, 'L', 'FR')).toEqual([]);
  expect(departures(texts, 'L', 'SA')).toEqual(every(10, '08:00', '09:00'));
});

test('before the first and after the last trip of all days, a headway is of the days that have trips then', async () => {
  const lines = [
    { route: 'L', service: 'FS', departures: every(60, '08:00', '10:00') },
    { route: 'L', service: 'FR', departures: ['06:00:00', '08:30:00', '11:00:00'] },
  ];
  const { texts, said } = await changed(
    madeFeed(lines),
    '  - {change: adjust-headway, route: L, headway: 30 min}\n',
  );
  expect(departures(texts, 'L', 'FS')).toEqual(every(30, '08:00', '10:00'));
  expect(departures(texts, 'L', 'FR')).toEqual([
    ...every(30, '06:00', '07:30'),
    ...every(30, '10:30', '11:00'),
  ]);
  expect(said[0]).toContain('from 06:00 to 11:00 at A Street; 5 trips kept, 6 added, 1 removed');
});

test('services of different days each go on until that of all days begins', async () => {
  const feed = madeFeed([
    { route: 'L', service: 'DAILY', departures: every(60, '08:00', '10:00') },
    { route: 'L', departures: ['07:00:00'] },
    { route: 'L', service: 'SA', departures: ['07:20:00'] },
  ]);
  const { texts } = await changed(
    {
      ...feed,
      'calendar.txt': `${feed['calendar.txt']}DAILY,1,1,1,1,1,1,1,20260101,20261231\n`,
    },
    '  - {change: adjust-headway, route: L, headway: 20 min}\n',
  );
  expect(departures(texts, 'L')).toEqual(every(20, '07:00', '07:40'));
  expect(departures(texts, 'L', 'SA')).toEqual(every(20, '07:20', '07:40'));
  expect(departures(texts, 'L', 'DAILY')).toEqual(every(20, '08:00', '10:00'));
});

test('headways of frequencies.txt are cut where they change, and exact departures stay on time', async () => {
  const frequencies =
    'trip_id,start_time,end_time,headway_secs,exact_times\nL-WK-0-06:00:00,06:00:00,09:00:00,1200,1\n';
  const feed = madeFeed([{ route: 'L', departures: ['06:00:00'] }], {
    'frequencies.txt': frequencies,
  });
  const { texts, said } = await changed(
    feed,
    '  - {change: adjust-headway, route: L, from: 06:30, until: 07:30, headway: 5 min}\n',
  );
  expect(
    rowsOf(texts, 'frequencies.txt').map((row) => Object.values(row).slice(1).join(' ')),
  ).toEqual(['06:00:00 06:30:00 1200 1', '06:40:00 07:30:00 300 1', '07:40:00 09:00:00 1200 1']);
  // 9 departures before; 2, 10 and 4 after.
  expect(said.at(-1)).toContain('9 → 16 trips');
});

test('a span cuts departures off, and repeats the first and the last', async () => {
  const { texts } = await changed(
    FEED,
    '  - {change: adjust-span, route: L, direction: 0, first: 05:30, last: 08:10}\n  - {change: adjust-span, route: N, last: 26:00, headway: 20 min}\n',
  );
  expect(departures(texts, 'L')).toEqual(every(20, '05:40', '08:00'));
  expect(departures(texts, 'N')).toEqual([
    ...every(30, '23:50', '24:50'),
    ...every(20, '25:10', '25:50'),
  ]);
});

test('a span of exact headways has the departure at its last time, and no period without one', async () => {
  const exact = (end: string) =>
    `trip_id,start_time,end_time,headway_secs,exact_times\nL-WK-0-06:00:00,06:00:00,${end},1200,1\n`;
  const feed = madeFeed([{ route: 'L', departures: ['06:00:00'] }], {
    'frequencies.txt': exact('09:00:00'),
  });
  const span = (members: string) => `  - {change: adjust-span, route: L, ${members}}\n`;
  expect((await changed(feed, span('last: 08:00'))).said.at(-1)).toContain('9 → 7 trips');
  expect((await changed(feed, span('last: 10:00'))).said.at(-1)).toContain('9 → 13 trips');
  expect(await problemsOf(feed, span('first: 08:50'))).toEqual([
    expect.stringContaining('would leave no trip'),
  ]);
});

test('a span is not extended from a trip of fewer days, which would leave a gap on the others', async () => {
  const feed = madeFeed([
    { route: 'L', service: 'FS', departures: every(60, '08:00', '10:00') },
    { route: 'L', service: 'FR', departures: ['06:00:00'] },
  ]);
  const extend = (members: string) => `  - {change: adjust-span, route: L, ${members}}\n`;
  const [problem] = await problemsOf(feed, extend('first: 05:00, headway: 30 min'));
  expect(problem).toContain('runs on some days of service FS only (FR)');
  const { texts } = await changed(feed, extend('last: 11:00'));
  expect(departures(texts, 'L', 'FS')).toEqual(every(60, '08:00', '11:00'));
  const alone = await changed(feed, extend('service: FS, first: 07:00'));
  expect(departures(alone.texts, 'L', 'FS')).toEqual(every(60, '07:00', '10:00'));
});

test('speed changes running times, not stays; blank times stay blank', async () => {
  const feed = madeFeed([{ route: 'L', departures: ['06:00:00'] }]);
  const waits = {
    ...feed,
    'stop_times.txt': feed['stop_times.txt'].replace('06:10:00,06:10:00', '06:10:00,06:11:00'),
  };
  const { texts } = await changed(waits, '  - {change: adjust-speed, route: L, speed: +25 %}\n');
  expect(callsOf(texts, 'L-WK-0-06:00:00')).toEqual([
    'A 06:00:00 06:00:00',
    'B',
    'C 06:08:00 06:09:00',
    'D 06:13:00 06:13:00',
  ]);
  const some = await changed(
    waits,
    '  - {change: adjust-speed, route: L, from_stop: B, to_stop: C, run_time: +2 min}\n',
  );
  expect(callsOf(some.texts, 'L-WK-0-06:00:00')).toEqual([
    'A 06:00:00 06:00:00',
    'B 06:05:00 06:05:00',
    'C 06:12:00 06:13:00',
    'D 06:18:00 06:18:00',
  ]);
});

test('a stretch without a running time gets the seconds that are added, evenly from call to call', async () => {
  const feed = madeFeed([{ route: 'L', departures: ['06:00:00'], minutes: [0, 5, 5, 5] }]);
  const { texts } = await changed(
    feed,
    '  - {change: adjust-speed, route: L, from_stop: B, to_stop: D, run_time: +2 min}\n',
  );
  expect(callsOf(texts, 'L-WK-0-06:00:00')).toEqual([
    'A 06:00:00 06:00:00',
    'B 06:05:00 06:05:00',
    'C 06:06:00 06:06:00',
    'D 06:07:00 06:07:00',
  ]);
  const [share] = await problemsOf(
    feed,
    '  - change: adjust-speed\n    route: L\n    from_stop: B\n    speed: +20 %\n',
  );
  expect(share).toMatch(/^6: adjust-speed: speed: has no running time of trip L-WK-0-06:00:00/);
});

test('a slower trip leaves a block in which its vehicle would be late', async () => {
  const feed = madeFeed([
    { route: 'L', departures: ['06:00:00'], block: 'V' },
    { route: 'N', departures: ['06:20:00'], block: 'V' },
  ]);
  const slower = (by: string) =>
    changed(feed, `  - {change: adjust-speed, route: L, run_time: ${by}}\n`);
  const blocks = (texts: FeedTexts) => rowsOf(texts, 'trips.txt').map(({ block_id }) => block_id);
  expect(blocks((await slower('+4 min')).texts)).toEqual(['V', 'V']);
  expect(blocks((await slower('+5 min')).texts)).toEqual(['', 'V']);
});

test('the trips that leave a block are those of which comparing every pair finds an overlap', async () => {
  await forAll(
    40,
    fc.array(
      fc.record({
        route: fc.constantFrom('L', 'N'),
        service: fc.constantFrom('WK', 'FR', 'SA', 'FS'),
        minute: fc.integer({ min: 0, max: 300 }),
        block: fc.constantFrom('V', 'W'),
      }),
      { minLength: 2, maxLength: 12 },
    ),
    fc.integer({ min: 1, max: 60 }),
    async (drawn, later) => {
      const lines = [{ route: 'L', service: 'SU', minute: 0, block: '' }, ...drawn].map(
        (line, i) => ({
          ...line,
          // Ids hold the departures.
          departures: [gtfsTime(at('06:00') + line.minute * 60 + i)],
        }),
      );
      const { texts } = await changed(
        madeFeed(lines),
        `  - {change: adjust-speed, route: L, run_time: +${later} min}\n`,
      );
      const daysOf: Record<string, string> = { WK: '01234', FR: '4', SA: '5', FS: '45', SU: '' };
      const overlapping = (longer: number) =>
        lines.map((a, i) =>
          lines.some((b, k) => {
            const [start, other] = [a, b].map(({ departures }) => at(departures[0]));
            const [end, otherEnd] = [a, b].map(
              ({ route, departures }) =>
                at(departures[0]) + (16 + (route === 'L' ? longer : 0)) * 60,
            );
            const isDay = [...daysOf[a.service]].some((day) => daysOf[b.service].includes(day));
            return i !== k && a.block === b.block && isDay && start < otherEnd && other < end;
          }),
        );
      const [before, after] = [overlapping(0), overlapping(later)];
      const broken = new Set(lines.flatMap(({ block }, i) => (before[i] ? [block] : [])));
      expect(rowsOf(texts, 'trips.txt').map(({ block_id }) => block_id)).toEqual(
        lines.map(({ route, block }, i) =>
          after[i] && route === 'L' && !broken.has(block) ? '' : block,
        ),
      );
    },
  );
});

test('a block of thousands of trips at once takes hardly longer than none', async () => {
  const departures = Array.from({ length: 4_000 }, (_, i) => gtfsTime(at('06:00') + i));
  const cpuTime = async (block: string) => {
    const from = process.cpuUsage();
    await changed(
      madeFeed([{ route: 'L', departures, block }]),
      '  - {change: adjust-speed, route: L, run_time: +1 min}\n',
    );
    return process.cpuUsage(from).user;
  };
  const none = Math.max(await cpuTime(''), await cpuTime(''));
  expect(await cpuTime('V')).toBeLessThan(5 * none);
});

test('a line is led along another stop, and what follows is later by it', async () => {
  const { texts } = await changed(
    madeFeed([{ route: 'L', departures: ['06:00:00'] }]),
    '  - {change: add-stop, stop: F, name: Far, lat: 36.002, lon: -69.985, wheelchair_boarding: yes}\n' +
      '  - {change: reroute, route: L, from_stop: B, to_stop: C, via: [F], run_time: 9 min}\n',
  );
  // F is as far from B as from C.
  expect(callsOf(texts, 'L-WK-0-06:00:00')).toEqual([
    'A 06:00:00 06:00:00',
    'B 06:05:00 06:05:00',
    'F 06:09:30 06:09:30',
    'C 06:14:00 06:14:00',
    'D 06:20:00 06:20:00',
  ]);
  const [trip] = rowsOf(texts, 'trips.txt');
  expect([trip.shape_id, trip.wheelchair_accessible, trip.trip_headsign.trim()]).toEqual([
    '',
    '1',
    'To "D"',
  ]);
  const stop = rowsOf(texts, 'stops.txt').at(-1)!;
  expect(stop).toMatchObject({
    stop_id: 'F',
    stop_lat: '36.002',
    wheelchair_boarding: '1',
    colour: '',
  });
});

test('a line is cut short, and led to a new end or from a new beginning, at its own speed', async () => {
  const feed = madeFeed([{ route: 'L', departures: ['06:00:00'], minutes: [0, 5, 10, 15] }]);
  const rerouted = async (members: string) =>
    callsOf(
      (await changed(feed, `  - {change: reroute, route: L, ${members}}\n`)).texts,
      'L-WK-0-06:00:00',
    );
  expect(await rerouted('from_stop: B, via: []')).toEqual([
    'A 06:00:00 06:00:00',
    'B 06:05:00 06:05:00',
  ]);
  expect(await rerouted('from_stop: B, to_stop: D, via: []')).toEqual([
    'A 06:00:00 06:00:00',
    'B 06:05:00 06:05:00',
    'D 06:15:00 06:15:00',
  ]);
  // E is 1.11 km north of A; from A to B are 0.90 km in 5 minutes.
  const begins = await rerouted('to_stop: A, via: [E]');
  expect(begins.slice(1)).toEqual([
    'A 06:00:00 06:00:00',
    'B 06:05:00 06:05:00',
    'C 06:10:00 06:10:00',
    'D 06:15:00 06:15:00',
  ]);
  expect(begins[0]).toMatch(/^E 05:53:5\d/);
});

test('a trip repeated by headway keeps its times where it gets a new beginning', async () => {
  const feed = madeFeed([{ route: 'L', departures: ['06:00:00'] }], {
    'frequencies.txt':
      'trip_id,start_time,end_time,headway_secs,exact_times\nL-WK-0-06:00:00,06:30:00,07:30:00,1200,1\n',
  });
  const periods = async (members: string) => {
    const { texts } = await changed(feed, `  - {change: reroute, route: L, ${members}}\n`);
    return rowsOf(texts, 'frequencies.txt').map(({ start_time, end_time }) => [
      start_time,
      end_time,
    ]);
  };
  // C is called at 10 minutes after the beginning, and E is led to A in 5.
  expect(await periods('to_stop: C, via: []')).toEqual([['06:40:00', '07:40:00']]);
  expect(await periods('to_stop: A, via: [E], run_time: 5 min')).toEqual([
    ['06:25:00', '07:25:00'],
  ]);
  expect(await periods('from_stop: C, via: []')).toEqual([['06:30:00', '07:30:00']]);
});

test('a new line has a trip for each departure, in both directions', async () => {
  const { texts } = await changed(
    FEED,
    '  - {change: add-route, route: R9, short_name: "9", route_type: bus, stops: [A, C Street, D], return_stops: reversed, run_times: [4 min, 3 min], dwell: 30 s, days: weekdays, headways: [{from: 06:00, until: 07:00, headway: 20 min}]}\n',
  );
  expect(departures(texts, 'R9')).toEqual(every(20, '06:00', '06:40'));
  expect(callsOf(texts, 'R9-WK-1-06:20:00')).toEqual([
    'D 06:20:00 06:20:00',
    'C 06:23:00 06:23:30',
    'A 06:27:30 06:27:30',
  ]);
  expect(rowsOf(texts, 'routes.txt').at(-1)).toMatchObject({
    route_id: 'R9',
    agency_id: 'M',
    route_type: '3',
  });
});

test('a line is dropped with all that names it, and a stop is moved', async () => {
  const fares = 'fare_id,route_id\nF,L\nF,N\n';
  const { texts } = await changed(
    { ...FEED, 'fare_rules.txt': fares },
    '  - {change: remove-route, route: L}\n  - {change: move-stop, stop: B, lat: 36.5, lon: -70.25}\n',
  );
  expect(rowsOf(texts, 'routes.txt').map(({ route_id }) => route_id)).toEqual(['N']);
  expect(departures(texts, 'L')).toEqual([]);
  expect(texts['fare_rules.txt']).toBe('fare_id,route_id\nF,N\n');
  expect(texts['stops.txt'].split('\r\n')[2]).toBe('B,B Street,36.5,-70.25,,1,#1');
});

test('problems of form are told by line, all together, and nothing is written', async () => {
  const found = await problemsOf(
    FEED,
    '  - change: adjust-headway\n    route: L\n    headway: 10\n    colour: red\n  - change: shorten\n  - change: reroute\n    route: L\n    via: []\n  - change: adjust-headway\n    route: L\n    from: 09:00\n    until: 08:00\n    headway: 5 min\n',
  );
  expect(found.map((problem) => Number.parseInt(problem, 10)).sort((a, b) => a - b)).toEqual([
    5, 6, 7, 8, 14,
  ]);
  expect(found.join('\n')).toContain(
    '5: headway must be the time from one departure to the next with its unit, such as 10 min or 90 s, not "10"',
  );
});

test.each([
  [
    'a route that there is not',
    '- {change: remove-route, route: Z}',
    '3: remove-route: route: "Z" is no route of the feed, which has l (L), n (N)',
  ],
  [
    'a stop that there is not',
    '- {change: move-stop, lat: 1, lon: 1,\n     stop: Z}',
    '4: move-stop: stop: "Z" is no stop',
  ],
  [
    'a direction that there is not',
    '- {change: remove-route, route: L, direction: up}',
    'there are 0, To "D", 1, To "A"',
  ],
  [
    'days without service',
    '- {change: remove-route, route: L, days: sundays}',
    'no service here runs on sundays; there are WK (Mon Tue Wed Thu Fri)',
  ],
  [
    'stops in another order',
    '- {change: reroute, route: L, direction: 0, from_stop: C, to_stop: A, via: []}',
    'no trip here calls at C, and then at A',
  ],
  [
    'a way before the day',
    '- {change: reroute, route: L, direction: 0, to_stop: A, via: [E], run_time: 7 h}',
    'would begin before its service day',
  ],
  [
    'a time beyond a week',
    '- {change: adjust-speed, route: L, direction: 0, run_time: +168 h}',
    'adjust-speed: trip L-WK-0-06:00:00 would call at D at 174:16:00',
  ],
  [
    'a new trip beyond a week',
    '- {change: add-route, route: X, short_name: X, route_type: bus, stops: [A, B], run_times: [168 h], days: weekdays, headways: [{from: 159:30, until: 160:00, headway: 1 h}]}',
    'add-route: trip X-WK-0-159:30:00 would call at B at 327:30:00, and no trip may run later than 168:00:00',
  ],
  [
    'an id that is taken',
    '- {change: add-stop, stop: A, name: A, lat: 1, lon: 1}',
    'is the stop_id of a stop that exists',
  ],
  [
    'times between which nothing runs',
    '- {change: adjust-headway, route: L, from: 12:00, headway: 5 min}',
    'adjust-span extends the times of service',
  ],
])('%s is refused by its line', async (_, change, message) => {
  const found = await problemsOf(FEED, `  ${change}\n`);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(message);
});

test.each([
  ['a second document', 'scenario: T\n---\nscenario: U\n', '2: a second document begins (---)'],
  ['an empty file', '', '1: a scenario begins with "scenario: …" and "changes:"'],
  ['a list alone', '- a\n', '1: a scenario begins with "scenario: …" and "changes:"'],
  ['many brackets', `scenario: T\nchanges:\n${'['.repeat(30_000)}`, '3: lists are nested too deep'],
  ['many marks', `scenario: T\nchanges:\n${'- '.repeat(30_000)}`, '3: lists are nested too deep'],
  ['deep lists', `scenario: T\nchanges: ${'[a, '.repeat(30_000)}`, '2: is nested too deep'],
  ['a tab', 'scenario: T\n\tchanges: []\n', '2: begins with a tab'],
  ['lists as names', `scenario: T\n${'? '.repeat(500)}a`, '2: a name before a colon is a text'],
  ['a name that is there twice', 'scenario: T\nscenario: U\n', '2: this name is there twice'],
  ['a scenario without changes', 'scenario: T\n', '1: changes is missing'],
  ['a quote that is not closed', 'scenario: "T\n', '2: a quote or bracket is not closed'],
  [
    'a bracket that is not closed',
    'scenario: T\nchanges: [',
    '2: begins too far left or right, or',
  ],
  ['a text that begins with a sign of YAML', 'scenario: @T\n', '1: a text that begins with @'],
  [
    'an empty list of routes',
    'scenario: T\nchanges:\n- {change: remove-route, route: []}\n',
    '3: route is empty',
  ],
])('%s is refused in plain words with its line', async (_, yaml, message) => {
  const folder = await folderOfThisTest();
  const scenario = path.join(folder, 'change.yaml');
  await writeFile(scenario, yaml);
  const error = await applyScenario({ scenario, gtfs: folder, out: null }).catch((error) => error);
  expect(error).toBeInstanceOf(ScenarioError);
  expect(error.problems.join('\n')).toContain(`change.yaml:${message}`);
  expect(error.problems.join('\n')).not.toMatch(/expected|call stack|YAML\./i);
});

test('a line of trips with a single stop is refused as that', async () => {
  const feed = madeFeed([{ route: 'L', stops: ['A'], minutes: [0], departures: ['06:00:00'] }]);
  for (const change of [
    'adjust-headway, headway: 5 min',
    'adjust-span, last: 08:00',
    'adjust-speed, speed: +10 %',
    'reroute, from_stop: A, via: [B], speed: 20 km/h',
  ]) {
    expect(await problemsOf(feed, `  - {change: ${change}, route: L}\n`)).toEqual([
      expect.stringContaining('route: L: no trip here has two stops or more'),
    ]);
  }
});

test('what is no list of stops is one problem, in words', async () => {
  const added = (stops: string) =>
    problemsOf(
      FEED,
      `  - {change: add-route, route: N, short_name: N, route_type: bus, speed: 20 km/h, days: weekdays, headways: [{from: 06:00, until: 07:00, headway: 20 min}], ${stops}}\n`,
    );
  expect(await added('stops: A')).toEqual(['3: stops must be a list of stops']);
  expect(await added('stops: [A]')).toEqual(['3: stops must be two stops or more']);
  expect(await added('stops: [A, B], return_stops: back')).toEqual([
    '3: return_stops must be "reversed" or a list of stops',
  ]);
});

test('of thousands of problems the first are told, in seconds, and how many there are', async () => {
  const scenario = path.join(await folderOfThisTest(), 'change.yaml');
  const members = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1\n`).join('  ');
  await writeFile(scenario, `scenario: T\nchanges:\n- change: remove-route\n  ${members}`);
  const reading = applyScenario({ scenario, gtfs: scenario, out: null });
  const error = await reading.catch((error) => error);
  expect(error.message).toContain('20001 problems');
  expect(error.problems).toHaveLength(21);
  expect(error.problems.at(-1)).toBe('and 19981 more');
}, 10_000);

test('a service of other days too is refused, and one that shares some days only', async () => {
  const feed = madeFeed([
    { route: 'L', departures: every(20, '06:00', '07:00') },
    { route: 'L', service: 'FS', departures: ['06:10:00', '06:30:00'] },
  ]);
  const [days] = await problemsOf(
    feed,
    '  - {change: adjust-headway, route: L, days: weekdays, headway: 5 min}\n',
  );
  expect(days).toContain('service FS (Fri Sat) runs on other days than weekdays too');
  const [shared] = await problemsOf(
    feed,
    '  - {change: adjust-headway, route: L, headway: 5 min}\n',
  );
  expect(shared).toContain('services WK and FS of l (L) run on some of the same days');
});

test('words that every object of the language has are no values, in the file and in the feed', async () => {
  const found = await problemsOf(
    FEED,
    '  - {change: add-route, route: R9, short_name: "9", route_type: constructor, stops: [A, D], run_times: [4 constructor], headways: [{from: 06:00, until: 07:00, headway: 20 min}]}\n',
  );
  expect(found.map((problem) => problem.split(',')[0])).toEqual([
    '3: route_type must be one of tram',
    '3: run_times must be a duration with its unit',
  ]);
  const translations = 'table_name,record_id,translation\nconstructor,L,Linie\nroutes,N,Linie\n';
  const { texts } = await changed(
    { ...FEED, 'translations.txt': `${translations}routes,L,Linie\n` },
    '  - {change: remove-route, route: L}\n',
  );
  expect(texts['translations.txt']).toBe(translations);
});

test('days are those of most dates of a service, so holidays on other days do not matter', async () => {
  const feed = madeFeed(
    [
      { route: 'L', departures: every(20, '06:00', '07:00') },
      { route: 'L', service: 'SA', departures: every(20, '06:00', '07:00') },
      { route: 'L', service: 'HOLIDAYS', departures: every(20, '06:00', '07:00') },
    ],
    {
      // A Monday with the service of Saturdays, and a few days of all kinds with another.
      'calendar_dates.txt':
        'service_id,date,exception_type\nWK,20260907,2\nSA,20260907,1\nHOLIDAYS,20260704,1\nHOLIDAYS,20261225,1\n',
    },
  );
  const { texts } = await changed(
    feed,
    '  - {change: adjust-headway, route: L, days: weekdays, headway: 10 min}\n',
  );
  expect(departures(texts, 'L')).toEqual(every(10, '06:00', '07:00'));
  for (const service of ['SA', 'HOLIDAYS']) {
    expect(departures(texts, 'L', service)).toEqual(every(20, '06:00', '07:00'));
  }
});

test('a dry run writes nothing, and a feed is not written over itself', async () => {
  const folder = await folderOfThisTest();
  const scenario = path.join(folder, 'change.yaml');
  await writeFile(scenario, 'scenario: Test\nchanges:\n  - {change: remove-route, route: L}\n');
  const gtfs = await writeTexts(path.join(folder, 'in'), FEED);
  await applyScenario({ scenario, gtfs, out: null });
  expect(await readTexts(gtfs)).toEqual(FEED);
  await expect(applyScenario({ scenario, gtfs, out: gtfs })).rejects.toThrow('is the feed itself');
  expect(existsSync(path.join(folder, 'out'))).toBe(false);
});

test.each([
  ['a file that is a folder too', 'shapes.txt/x.txt', 'has shapes.txt as a file, and as a folder'],
  ['a name that no file can have', `${'n'.repeat(5_000)}.txt`, 'a name of 5004 characters'],
])(
  'an archive with %s is not written as a folder, of which nothing is left',
  async (_, name, message) => {
    const folder = await folderOfThisTest();
    const [scenario, gtfs] = ['change.yaml', 'in.zip'].map((file) => path.join(folder, file));
    await writeFile(scenario, 'scenario: Test\nchanges:\n  - {change: remove-route, route: L}\n');
    const texts = { ...FEED, 'shapes.txt': '', [name]: '' };
    await writeZip(
      gtfs,
      Object.entries(texts).map(([name, text]) => ({ name, chunks: () => [Buffer.from(text)] })),
    );
    const error = await applyScenario({ scenario, gtfs, out: path.join(folder, 'out') }).catch(
      (error) => error,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(message);
    expect((await readdir(folder)).sort()).toEqual(['change.yaml', 'in.zip']);
    await applyScenario({ scenario, gtfs, out: path.join(folder, 'out.zip') });
    expect(existsSync(path.join(folder, 'out.zip'))).toBe(true);
  },
);

test('a file of an archive that cannot be unpacked is refused, and nothing is left', async () => {
  const folder = await folderOfThisTest();
  const [scenario, gtfs] = ['change.yaml', 'in.zip'].map((file) => path.join(folder, file));
  await writeFile(scenario, 'scenario: Test\nchanges:\n  - {change: remove-route, route: L}\n');
  const parts = Object.entries({ ...FEED, 'notes.bin': 'x' });
  await writeZip(
    gtfs,
    parts.map(([name, text]) => ({ name, chunks: () => [Buffer.from(text)] })),
  );
  const archive = await readFile(gtfs);
  // A method of compression, LZMA, that the reader does not know, in the header and the directory.
  for (const [signature, method, name] of [
    ['PK\x03\x04', 8, 30],
    ['PK\x01\x02', 10, 46],
  ] as const) {
    let at = archive.indexOf(signature, 0, 'latin1');
    while (
      !archive
        .subarray(at + name)
        .toString('latin1')
        .startsWith('notes.bin')
    ) {
      at = archive.indexOf(signature, at + 1, 'latin1');
    }
    archive.writeUInt16LE(14, at + method);
  }
  await writeFile(gtfs, archive);
  for (const out of ['out', 'out.zip'].map((name) => path.join(folder, name))) {
    await expect(applyScenario({ scenario, gtfs, out })).rejects.toThrow('notes.bin is compressed');
    expect((await readdir(folder)).sort()).toEqual(['change.yaml', 'in.zip']);
  }
});

test('a folder has its name only once all its files are there, also after a run that was killed', async () => {
  const folder = await folderOfThisTest();
  const [scenario, out] = [path.join(folder, 'change.yaml'), path.join(folder, 'out')];
  await writeFile(scenario, 'scenario: Test\nchanges:\n  - {change: remove-route, route: L}\n');
  const gtfs = await writeTexts(path.join(folder, 'in'), FEED);
  // A run that was killed left this.
  await writeTexts(`${out}.part`, { 'left.txt': '' });
  let isDone = false;
  const seen: string[][] = [];
  const written = applyScenario({ scenario, gtfs, out }).finally(() => {
    isDone = true;
  });
  for (; !isDone; await setImmediate()) if (existsSync(out)) seen.push(readdirSync(out).sort());
  await written;
  for (const names of [...seen, await readdir(out)]) {
    expect([...names].sort()).toEqual(Object.keys(FEED).sort());
  }
  expect((await readdir(folder)).sort()).toEqual(['change.yaml', 'in', 'out']);
});

test('a place that cannot be written to is refused, as a folder and as an archive', async () => {
  const folder = await folderOfThisTest();
  const scenario = path.join(folder, 'change.yaml');
  await writeFile(scenario, 'scenario: Test\nchanges:\n  - {change: remove-route, route: L}\n');
  const gtfs = await writeTexts(path.join(folder, 'in'), FEED);
  for (const out of [scenario, path.join(scenario, 'out'), path.join(scenario, 'out.zip')]) {
    const error = await applyScenario({ scenario, gtfs, out }).catch((error) => error);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(`${out}: cannot be written`);
  }
});

test('the builder reads the departures of any headway, at the times that arithmetic gives', async () => {
  await forAll(
    25,
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 2, max: 12 }),
    async (before, after, trips) => {
      const first = at('06:00');
      const last = first + (trips - 1) * before * 60;
      const feed = madeFeed([{ route: 'L', departures: every(before, '06:00', gtfsTime(last)) }]);
      const { out } = await changed(
        feed,
        `  - {change: adjust-headway, route: L, headway: ${after} min}\n`,
      );
      const read = await readFeed(out);
      try {
        const runs = await readTrips(read, [{ day: '20260302', from: 0, to: 48 * 3600 }]);
        const departed = runs.map(({ run }) => run.departures[0]).sort((a, b) => a - b);
        const expected = [];
        for (let time = first; time <= last; time += after * 60) expected.push(time);
        expect(departed).toEqual(expected);
        expect(
          read.report.problems.filter(
            ({ problem }) => !problem.startsWith('no time; interpolated'),
          ),
        ).toEqual([]);
      } finally {
        read.source.close();
      }
    },
  );
});
