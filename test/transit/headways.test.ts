import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import {
  departuresOf,
  type Frequency,
  headwayPhase,
  readFrequencies,
  runsOf,
} from '../../builder/gtfs/frequencies.ts';
import { forAll } from '../support/for-all.ts';
import { type FeedRecord, feedSource } from './gtfs-text.ts';

const frequency = fc
  .record({
    start: fc.integer({ min: 0, max: 90_000 }),
    length: fc.integer({ min: 1, max: 3_000 }),
    headway: fc.oneof(
      fc.integer({ min: 5, max: 2_000 }),
      fc.double({ min: 5, max: 90, noNaN: true }),
    ),
    exact: fc.boolean(),
  })
  .map(({ start, length, headway, exact }): Frequency => {
    return { start, end: start + length, headway, exact };
  });

test('a repeated trip departs every headway, first within a headway of the start, and before the end', () =>
  forAll(200, fc.string(), frequency, (trip, repeated) => {
    const { start, end, headway, exact } = repeated;
    const departures = departuresOf(trip, repeated);
    // A period shorter than the headway may have none, unless the departures are exact.
    if (exact) expect(departures[0]).toBe(start);
    const first = departures[0] ?? end;
    expect(first).toBeGreaterThanOrEqual(start);
    expect(first - start).toBeLessThan(headway);
    const isSpaced = (time: number, i: number) => Math.abs(time - first - i * headway) < 1e-6;
    expect(departures.every((time, i) => isSpaced(time, i) && time < end)).toBe(true);
    const next = first + departures.length * headway;
    expect(next).toBeGreaterThanOrEqual(end - 1e-6);
    expect([0, 1]).toContain(runsOf(repeated) - departures.length);
    expect(departuresOf(trip, repeated)).toEqual(departures);
  }));

test('lines of one headway do not all leave together', () => {
  const phases = Array.from({ length: 600 }, (_, i) => headwayPhase(`trip ${i}`, 28_800, 600));
  expect(phases.every((phase) => Number.isInteger(phase) && phase >= 0 && phase < 600)).toBe(true);
  // Six hundred throws of a die of 600 sides show about 380 different sides.
  expect(new Set(phases).size).toBeGreaterThan(300);
  expect(headwayPhase('trip 1', 28_800, 600)).not.toBe(headwayPhase('trip 1', 32_400, 600));
});

test.each([
  ['8:00:00', '9:00:00', '600', null],
  ['8:00:00', '9:00:00', '5', null],
  ['8:00:00', '9:00:00', '604800', null],
  ['8:00:00', '8:00:01', '600', null],
  ['8:00:00', '9:00:00', '4.9', 'headway under 5 s; left out'],
  ['8:00:00', '9:00:00', '604801', 'no valid times or headway; left out'],
  ['8:00:00', '9:00:00', '0', 'no valid times or headway; left out'],
  ['8:00:00', '9:00:00', '-600', 'no valid times or headway; left out'],
  ['8:00:00', '9:00:00', '', 'no valid times or headway; left out'],
  ['8:00:00', '9:00:00', 'x', 'no valid times or headway; left out'],
  ['8:00:00', '9:00:00', '0x258', 'no valid times or headway; left out'],
  ['9:00:00', '9:00:00', '600', 'no valid times or headway; left out'],
  ['9:00:00', '8:00:00', '600', 'no valid times or headway; left out'],
  ['', '9:00:00', '600', 'no valid times or headway; left out'],
  ['8:00:00', '', '600', 'no valid times or headway; left out'],
  ['x', '9:00:00', '600', 'no valid times or headway; left out'],
  ['8:00:00', '8:60:00', '600', 'no valid times or headway; left out'],
] as const)(
  'a headway of a trip from "%s" to "%s" every "%s" s: %s',
  async (start, end, headway, problem) => {
    const row = { trip_id: 'known', start_time: start, end_time: end, headway_secs: headway };
    const { frequencies, problems } = await read([{ ...row, exact_times: '0' }]);
    expect(problems).toEqual(
      problem === null ? [] : [problem, 'no usable row in frequencies.txt; left out'],
    );
    // Present without a headway: the trip has no times of its own to run at.
    expect(frequencies.get('known')).toHaveLength(problem === null ? 1 : 0);
  },
);

test('all headways of a trip are read in order, exact ones as such; those of unknown trips are reported', async () => {
  const row = { start_time: '8:00:00', end_time: '9:00:00', headway_secs: 600 };
  const { frequencies, problems } = await read([
    { ...row, trip_id: 'known', exact_times: 1 },
    { ...row, trip_id: 'unknown' },
    { ...row, trip_id: 'known', start_time: '8:30:00', exact_times: '' },
  ]);
  expect([...frequencies]).toEqual([
    [
      'known',
      [
        { start: 28_800, end: 32_400, headway: 600, exact: true },
        { start: 30_600, end: 32_400, headway: 600, exact: false },
      ],
    ],
  ]);
  expect(problems).toEqual(['trip missing from trips.txt; left out']);
});

async function read(records: FeedRecord[]) {
  const report = new FeedReport();
  const source = feedSource({ 'frequencies.txt': records });
  const frequencies = await readFrequencies(source, new Map([['known', { line: 2 }]]), report);
  return { frequencies, problems: report.problems.map(({ problem }) => problem) };
}
