import { expect, test } from 'vitest';
import { BusTown, busFeed, busLine, TIME } from './bus-town.ts';
import { AGENCY, exception, service } from './feed-records.ts';
import type { FeedRecord } from './gtfs-text.ts';

/** The streets of the town are dated Thursday, 2026-01-01. */
const town = new BusTown();

const daily = (first: number, last: number) => [service('daily', '1111111', first, last)];

test('the service day is the ordinary weekday nearest to the street data', async () => {
  const built = async (calendar: FeedRecord[]) => {
    const feed = await town.write('calendar.zip', busFeed({ 'calendar.txt': calendar }));
    const { feeds, ...rest } = await town.build([feed]);
    return { day: feeds[0].service_date, ...rest };
  };
  const { day, assumptions, minutes } = await built(daily(20250601, 20261231));
  expect(day).toBe('2026-01-01');
  expect(assumptions.transit_departure).toBe('2026-01-01T08:00:00');
  expect(minutes).toBe(TIME);
  const later = await built(daily(20260302, 20261231));
  // A week after the calendar starts, since the week before that is unknown.
  expect(later.day).toBe('2026-03-09');
  const earlier = await built(daily(20250101, 20251114));
  expect(earlier.day).toBe('2025-11-07');
});

test('a feed without ordinary service on the common day is read on its own day, and named', async () => {
  const old = busFeed({
    'calendar.txt': [service('daily', '1111100', 20190102, 20190228)],
    'calendar_dates.txt': [exception('daily', 20190221, 2)],
  });
  const now = busFeed({}, busLine('daily', 15 * 60));
  const oldFile = await town.write('old.zip', old);
  const others = { 'agency.txt': [{ ...AGENCY, agency_name: 'Others' }] };
  const files = [oldFile, await town.write('now.zip', { ...now, ...others })];
  const { feeds: facts, said, minutes } = await town.build(files, '2026-03-11');
  // The last week has only one neighbour, and the Thursday before has a holiday as a neighbour.
  expect(facts.map((feed) => feed.service_date)).toEqual(['2019-02-20', '2026-03-11']);
  expect(facts.map((feed) => feed.runs_on_common_day)).toEqual([false, true]);
  expect(said).toMatch(/WARNING.*old\.zip.*2026-03-11.*2019-02-20/);
  expect(minutes).toBe(TIME);
});
