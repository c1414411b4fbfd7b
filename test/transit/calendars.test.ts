import { expect, test } from 'vitest';
import { Calendar } from '../../builder/gtfs/calendar.ts';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import { FEED_LIMITS } from '../../builder/gtfs/limits.ts';
import { exception, service } from './feed-records.ts';
import { type FeedTables, feedSource } from './gtfs-text.ts';

const DAY_MS = 86_400_000;
const numberOf = (date: string | number) => {
  const text = String(date);
  return (
    Date.UTC(Number(text.slice(0, 4)), Number(text.slice(4, 6)) - 1, Number(text.slice(6))) / DAY_MS
  );
};

async function read(tables: FeedTables) {
  const report = new FeedReport();
  const calendar = await Calendar.read(feedSource(tables), report);
  const problems = report.problems.map(
    ({ file, first_line, problem, rows }) =>
      `${file} ${first_line}: ${problem}${rows > 1 ? ` (${rows})` : ''}`,
  );
  return { calendar, problems };
}

test('a service runs on its weekdays, on dates that are added, and not on those removed', async () => {
  const { calendar, problems } = await read({
    'calendar.txt': [
      service('weekdays', '1111100', 20260302, 20260313),
      { ...service('odd', '0000000', 20260302, 20260313), monday: 'yes', tuesday: 2, friday: 1 },
    ],
    'calendar_dates.txt': [
      exception('weekdays', 20260303, 2),
      exception('weekdays', 20260307, 1),
      exception('dates', 20260308, 1),
      exception('both', 20260309, 1),
      exception('both', 20260309, 1),
      exception('both', 20260309, 2),
    ],
  });
  const runs = (id: string) =>
    Array.from({ length: 14 }, (_, i) => 20260301 + i).filter((date) =>
      calendar.runsOn(id, String(date)),
    );
  const usual = [2, 4, 5, 6, 7, 9, 10, 11, 12, 13].map((day) => 20260300 + day);
  expect(runs('weekdays')).toEqual(usual);
  expect(runs('odd')).toEqual([20260306, 20260313]);
  expect(runs('dates')).toEqual([20260308]);
  expect(runs('both')).toEqual([20260309]);
  expect(runs('unknown')).toEqual([]);
  const ids = ['weekdays', 'odd', 'dates', 'both', 'unknown'];
  expect(ids.map((id) => calendar.has(id))).toEqual([true, true, true, true, false]);
  expect(problems).toEqual([
    'calendar.txt 3: monday neither 0 nor 1; taken as 0',
    'calendar.txt 3: tuesday neither 0 nor 1; taken as 0',
    'calendar_dates.txt 7: contradicts an earlier row of the day; left out',
  ]);
});

test('a service has the days of its first row, whatever way these are written', async () => {
  const { calendar, problems } = await read({
    'calendar.txt': [
      { ...service('a', '0000000', 0, 0), monday: '1.0', tuesday: 'true', wednesday: '01' },
      service('b', '0000011', 20260302, 20260308),
    ].map((row) => ({ ...row, start_date: '2026-03-02', end_date: '2026/03/08' })),
    'calendar_dates.txt': [{ ...exception('a', 0, 1), date: '2026-03-07', exception_type: '1.0' }],
  });
  const days = (id: string) =>
    [2, 3, 4, 5, 6, 7, 8].filter((day) => calendar.runsOn(id, `2026030${day}`));
  expect([days('a'), days('b')]).toEqual([
    [2, 3, 4, 7],
    [7, 8],
  ]);
  expect(problems).toEqual([]);
  const twice = await read({
    'calendar.txt': [
      service('a', '1111100', 20260302, 20260308),
      service('a', '0000011', 20260302, 20260308),
      service('b', '1111111', 20260308, 20260302),
    ],
  });
  expect(twice.calendar.runsOn('a', '20260302')).toBe(true);
  expect(twice.calendar.runsOn('a', '20260307')).toBe(false);
  expect(twice.problems).toEqual([
    'calendar.txt 3: duplicate service_id; left out',
    'calendar.txt 4: end_date before start_date; never runs by its weekdays',
  ]);
});

test('rows without valid dates or exceptions are reported, by file and line', async () => {
  const { calendar, problems } = await read({
    'calendar.txt': [
      service('a', '1111111', 20260230, 20260331),
      service('a', '1111111', 20260301, 20260231),
    ],
    'calendar_dates.txt': [
      exception('a', 20260230, 1),
      { ...exception('a', 20260302, 1), exception_type: 3 },
      { ...exception('a', 20260302, 1), exception_type: '' },
      exception('a', Number(FEED_LIMITS.firstDate) - 1, 1),
    ],
  });
  expect(calendar.has('a')).toBe(false);
  // The number before the first date is no date, but the last day of the year before is one.
  const early = `${Number(FEED_LIMITS.firstDate.slice(0, 4)) - 1}1231`;
  const late = `${Number(FEED_LIMITS.lastDate.slice(0, 4)) + 1}0101`;
  expect(problems).toEqual([
    'calendar.txt 2: no valid start_date and end_date; left out (2)',
    'calendar_dates.txt 2: no valid date or exception; left out (4)',
  ]);
  const beyond = await read({
    'calendar_dates.txt': [exception('a', Number(early), 1), exception('a', Number(late), 1)],
  });
  expect(beyond.problems).toEqual(['calendar_dates.txt 2: a date out of range; left out (2)']);
});

test('only days within the years that feeds may cover count', async () => {
  const { firstDate, lastDate } = FEED_LIMITS;
  const { calendar, problems } = await read({
    'calendar.txt': [service('ever', '1111111', 10000101, 99991231)],
    'calendar_dates.txt': [
      exception('ends', Number(firstDate), 1),
      exception('ends', Number(lastDate), 1),
    ],
  });
  expect(problems).toEqual([]);
  expect([...calendar.tripsByDay(new Map([['ends', 2]]))]).toEqual([
    [numberOf(firstDate), 2],
    [numberOf(lastDate), 2],
  ]);
  const days = [...calendar.tripsByDay(new Map([['ever', 1]])).keys()];
  expect([days[0], days.at(-1)]).toEqual([numberOf(firstDate), numberOf(lastDate)]);
  expect(days).toHaveLength(numberOf(lastDate) - numberOf(firstDate) + 1);
});

test('services that never run have no trips on any day', async () => {
  const { calendar } = await read({
    'calendar.txt': [service('backwards', '1111111', 20260313, 20260302)],
    'calendar_dates.txt': [exception('removed', 20260302, 2)],
  });
  const counts = new Map(['backwards', 'removed', 'unknown'].map((id) => [id, 3]));
  expect([...calendar.tripsByDay(counts)]).toEqual([]);
  expect([...calendar.tripsByDay(new Map())]).toEqual([]);
});

test('of more than a hundred versions of one route, none is the next of another', async () => {
  const overlapsIn = async (versions: number) => {
    // Each version begins and ends a day after the one before, in months of 28 days.
    const date = (month: number, i: number) =>
      20260001 + 100 * (month + Math.floor(i / 28)) + (i % 28);
    const services = Array.from({ length: versions }, (_, i) =>
      service(`s${i}`, '1111111', date(1, i), date(7, i)),
    );
    const { calendar } = await read({ 'calendar.txt': services });
    const trips = new Map(services.map((_, i) => [`s${i}`, 1]));
    return calendar.overlapOfVersions(new Map([['route', trips]]))(numberOf(20260615));
  };
  expect(FEED_LIMITS.versions).toBe(100);
  expect(await overlapsIn(100)).toBe(true);
  expect(await overlapsIn(101)).toBe(false);
});

test('services of a route with the same weekdays and dates are one version of it', async () => {
  const { calendar } = await read({
    'calendar.txt': [
      service('old', '1111100', 20260301, 20260630),
      service('old too', '1111111', 20260301, 20260630),
      service('new', '1111100', 20260601, 20260930),
    ],
  });
  // Two and four trips are similar, one and four are not.
  const overlapsWith = (trips: Readonly<Record<string, number>>) =>
    calendar.overlapOfVersions(new Map([['route', new Map(Object.entries(trips))]]))(
      numberOf(20260615),
    );
  expect(overlapsWith({ old: 1, 'old too': 1, new: 4 })).toBe(true);
  expect(overlapsWith({ old: 1, new: 4 })).toBe(false);
});
