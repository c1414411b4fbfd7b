import { expect, test } from 'vitest';
import type { FeedFacts } from '../../shards/release/manifest.ts';
import { BusTown, busFeed, busLine, EIGHT, TIME } from './bus-town.ts';
import { AGENCY, exception, service } from './feed-records.ts';
import type { FeedTables } from './gtfs-text.ts';

/** The streets of the town are dated Thursday, 2026-01-01. */
const town = new BusTown();
let feeds = 0;

/**
 * Builds with feeds of different agencies; returns the days that they are read on, with facts and
 * messages.
 */
async function read(...tables: readonly FeedTables[]) {
  const files = await Promise.all(
    tables.map((one, i) => {
      const agency = { ...AGENCY, agency_name: `Agency ${i}` };
      return town.write(`${++feeds}.zip`, { ...one, 'agency.txt': [agency] });
    }),
  );
  const { feeds: facts, ...rest } = await town.build(files);
  return { facts, days: facts.map((feed: FeedFacts) => feed.service_date), files, ...rest };
}

const calendar = (...services: ReturnType<typeof service>[]) => ({ 'calendar.txt': services });

test('the service day is the ordinary weekday nearest to the street data', async () => {
  const { days, assumptions, minutes } = await read(
    busFeed(calendar(service('daily', '1111111', 20250601, 20261231))),
  );
  expect(days).toEqual(['2026-01-01']);
  expect(assumptions.transit_departure).toBe('2026-01-01T08:00:00');
  expect(minutes).toBe(TIME);
  const later = await read(busFeed(calendar(service('daily', '1111111', 20260302, 20261231))));
  // A week after the calendar starts, since the week before that is unknown.
  expect(later.days).toEqual(['2026-03-09']);
  const earlier = await read(busFeed(calendar(service('daily', '1111111', 20250101, 20251114))));
  expect(earlier.days).toEqual(['2025-11-07']);
});

test('a calendar from 2010 to 2099 is treated like any other', async () => {
  const { days, minutes } = await read(
    busFeed(calendar(service('daily', '1111100', 20100101, 20991231))),
  );
  expect([days, minutes]).toEqual([['2026-01-01'], TIME]);
});

test('a holiday is not a service day, nor is the same weekday a week before or after', async () => {
  // A Sunday's service on New Year's Day. The neighbouring Thursdays each have a neighbour that
  // differs.
  const { days } = await read(
    busFeed(
      {
        ...calendar(
          service('daily', '1111100', 20251001, 20261231),
          service('sunday', '0000001', 20251001, 20261231),
        ),
        'calendar_dates.txt': [exception('daily', 20260101, 2), exception('sunday', 20260101, 1)],
      },
      [...busLine(), ...busLine('sunday').slice(0, 5)],
    ),
  );
  expect(days).toEqual(['2025-12-31']);
});

test('a holiday with a Sunday’s service is no typical weekday, though nothing else recurs', async () => {
  const sunday = service('sunday', '0000001', 20251201, 20260131);
  const holidays = [20251225, 20260101].map((date) => exception('sunday', date, 1));
  const weekdays = Array.from({ length: 62 }, (_, i) => new Date(Date.UTC(2025, 11, 1 + i)))
    .filter((day) => day.getUTCDay() % 6 !== 0)
    .map((day) => Number(day.toISOString().slice(0, 10).replaceAll('-', '')))
    .filter((date) => date !== 20251225 && date !== 20260101);
  // Every other weekday has another number of trips: the two holidays are the largest pattern.
  const { days, facts } = await read(
    busFeed(
      {
        'calendar.txt': [sunday],
        'calendar_dates.txt': [
          ...holidays,
          ...weekdays.map((date) => exception(`on ${date}`, date, 1)),
        ],
      },
      [
        ...busLine('sunday').slice(0, 1),
        ...weekdays.flatMap((date, i) =>
          Array.from({ length: 2 + i }, (_, n) => busLine(`on ${date}`)[n % 18]),
        ),
      ],
    ),
  );
  expect(days).not.toEqual(['2026-01-01']);
  expect(facts[0].weekday_patterns.map(({ date }) => date)).not.toContain('2026-01-01');
});

test('a feed of a holiday weekend is read on a weekday of its calendar', async () => {
  const info = { feed_publisher_name: 'Buses', feed_lang: 'en' };
  const calendars = {
    ...calendar(
      service('daily', '1111100', 20260105, 20260329),
      service('weekend', '0000011', 20260105, 20260329),
    ),
    'calendar_dates.txt': [exception('daily', 20260119, 2), exception('weekend', 20260119, 1)],
    'feed_info.txt': [{ ...info, feed_start_date: 20260117, feed_end_date: 20260119 }],
  };
  const lines = [...busLine(), ...busLine('weekend').slice(0, 3)];
  // The Tuesday before is the first with the same service a week before and after.
  expect((await read(busFeed(calendars, lines))).days).toEqual(['2026-01-13']);
});

test('a season with the same service every day of the week is no series of holidays', async () => {
  const { facts } = await read(
    busFeed(
      calendar(
        service('season', '1111111', 20251101, 20260228),
        service('later', '1111100', 20260302, 20260719),
      ),
      [...busLine('season').slice(0, 9), ...busLine('later')],
    ),
  );
  expect(facts[0].weekday_patterns.map(({ trips }) => trips)).toEqual([9, 18]);
});

test('days are compared by their trips, not by the names of their services', async () => {
  // Each date has its own service; on a Wednesday another line runs as often.
  const dates = Array.from({ length: 60 }, (_, i) => {
    const day = new Date(Date.UTC(2025, 11, 1 + i));
    return Number(day.toISOString().slice(0, 10).replaceAll('-', ''));
  });
  const { days, facts } = await read(
    busFeed(
      {
        'calendar.txt': [],
        'calendar_dates.txt': dates.map((date) => exception(`on ${date}`, date, 1)),
      },
      dates.flatMap((date) => busLine(`on ${date}`).slice(0, 12)),
    ),
  );
  expect(days).toEqual(['2026-01-01']);
  // From Monday, 2025-12-01.
  const weekdays = dates.filter((_, i) => i % 7 < 5).length;
  expect(facts[0].weekday_patterns).toEqual([{ date: '2026-01-01', weekdays, trips: 12 }]);
});

test('the most common kind of weekday precedes a nearer one, and the others are reported', async () => {
  // Term is longer than the holidays around New Year, which have half the buses.
  const { days, facts, said } = await read(
    busFeed(
      calendar(
        service('term', '1111100', 20250901, 20251130),
        service('break', '1111100', 20251201, 20260131),
      ),
      [...busLine('term'), ...busLine('break').filter((_, n) => n % 2 === 0)],
    ),
  );
  expect(days).toEqual(['2025-11-21']);
  // 13 weeks of term and nine of break; a week at the boundary has one neighbour like it.
  expect(facts[0].weekday_patterns).toEqual([
    { date: '2025-11-21', weekdays: 65, trips: 18 },
    { date: '2025-12-08', weekdays: 45, trips: 9 },
  ]);
  expect(said).toMatch(/2025-11-21.*65.*45 like 2025-12-08 \(9 trips\)/);
});

test('a day on which two versions of a timetable run at once is not chosen', async () => {
  const versions = calendar(
    service('old', '1111100', 20251001, 20260331),
    service('new', '1111100', 20251015, 20260430),
  );
  const twice = await read(busFeed(versions, [...busLine('old'), ...busLine('new')]));
  // Most days have both versions. One alone, with a week on either side, runs from 2026-04-08.
  expect(twice.days).toEqual(['2026-04-08']);
  expect(twice.facts[0].weekday_patterns[0].trips).toBe(18);
  // A service that adds a few trips is not a successor.
  const season = calendar(
    service('old', '1111100', 20251001, 20260228),
    service('new', '1111100', 20251101, 20260331),
  );
  const more = await read(busFeed(season, [...busLine('old'), ...busLine('new').slice(0, 2)]));
  expect(more.days).toEqual(['2026-01-01']);
});

test('days outside those that a feed claims to cover are excluded', async () => {
  const info = { feed_publisher_name: 'Buses', feed_lang: 'en', feed_start_date: 20260401 };
  const { days } = await read(
    busFeed({
      ...calendar(service('daily', '1111100', 20250101, 20261231)),
      'feed_info.txt': [info],
    }),
  );
  expect(days).toEqual(['2026-04-01']);
});

const claim = (first: number, last: number) => ({
  feed_publisher_name: 'Buses',
  feed_lang: 'en',
  feed_start_date: first,
  feed_end_date: last,
});

test('a feed of a week and a day is read on a typical weekday, not on the one that occurs twice', async () => {
  // From Friday to Friday; on Fridays a third of the buses run.
  const week = busFeed(
    {
      ...calendar(
        service('usual', '1111000', 20260306, 20260313),
        service('fridays', '0000100', 20260306, 20260313),
      ),
      'feed_info.txt': [claim(20260306, 20260313)],
    },
    [...busLine('usual'), ...busLine('fridays').filter((_, n) => n % 3 === 0)],
  );
  const { days, facts, minutes } = await read(week);
  expect(days).toEqual(['2026-03-09']);
  expect(facts[0].weekday_patterns).toEqual([{ date: '2026-03-09', weekdays: 4, trips: 18 }]);
  expect(minutes).toBe(TIME);
});

test('two holidays a week apart are not ordinary weekdays of a feed that holds little else', async () => {
  // Christmas and New Year's Day, both Thursdays, with a Sunday's service.
  const holidays = [20251225, 20260101];
  const { days } = await read(
    busFeed(
      {
        ...calendar(
          service('daily', '1111100', 20251225, 20260101),
          service('sunday', '0000001', 20251225, 20260101),
        ),
        'calendar_dates.txt': holidays.flatMap((day) => [
          exception('daily', day, 2),
          exception('sunday', day, 1),
        ]),
      },
      [...busLine(), ...busLine('sunday').slice(0, 5)],
    ),
  );
  // No other weekday occurs twice.
  expect(days).toEqual(['2025-12-31']);
});

test('a feed of a week and a day shares a day with the others, whatever day of the week that is', async () => {
  // Only its Wednesdays occur twice; the other feed starts on the Thursday between them.
  const short = busFeed(calendar(service('daily', '1111100', 20260304, 20260311)));
  const dates = [20260305, 20260306].map((date) => exception('daily', date, 1));
  const other = busFeed({ 'calendar.txt': [], 'calendar_dates.txt': dates });
  const { days, said } = await read(short, other);
  expect(days).toEqual(['2026-03-05', '2026-03-05']);
  expect(said).not.toContain('WARNING');
});

test('of two versions of a feed that are both ordinary on a requested day, the later is read', async () => {
  const version = (id: string, first: number) =>
    busFeed(
      {
        ...calendar(service(id, '1111100', first, 20261231)),
        'feed_info.txt': [{ feed_publisher_name: 'Buses', feed_lang: 'en', feed_id: 'f-buses' }],
      },
      busLine(id),
    );
  const later = await town.write('later.zip', version('spring', 20260201));
  const earlier = await town.write('earlier.zip', version('winter', 20250901));
  for (const files of [
    [later, earlier],
    [earlier, later],
  ]) {
    const { feeds: facts, said } = await town.build(files, '2026-03-11');
    expect(facts.map(({ file }) => file)).toEqual(['later.zip']);
    expect(said).toContain('WARNING: earlier.zip: left out: its service is also in later.zip');
  }
});

test('versions of a timetable are recognized without ids, and one is read', async () => {
  const version = (id: string, first: number, last: number, shift: number) =>
    busFeed(calendar(service(id, '1111100', first, last)), busLine(id, EIGHT - 60 + shift));
  const files = [
    await town.write('winter.zip', version('winter', 20250901, 20260228, 0)),
    await town.write('spring.zip', version('spring', 20251215, 20260831, 5)),
  ];
  const { feeds: facts, said, minutes } = await town.build(files);
  expect(facts.map(({ file, service_date }) => [file, service_date])).toEqual([
    ['spring.zip', '2026-01-01'],
  ]);
  expect(said).toContain('WARNING: winter.zip: left out: its service is also in spring.zip');
  // With both, the bus would come every five minutes.
  expect(minutes).toBe(TIME);
});

test('with several feeds, the service day is ordinary for most of them', async () => {
  const early = busFeed(calendar(service('daily', '1111100', 20260101, 20260331)));
  const late = busFeed(calendar(service('daily', '1111100', 20260303, 20260630)));
  const { days, facts, said } = await read(early, late);
  // The second feed starts on a Tuesday; the first ordinary Tuesday is a week later.
  expect(days).toEqual(['2026-03-10', '2026-03-10']);
  expect(facts.map((feed) => feed.runs_on_common_day)).toEqual([true, true]);
  expect(said).not.toContain('WARNING');
});

test('a feed without ordinary service on the common day is read on its own day, and named', async () => {
  const old = busFeed({
    ...calendar(service('daily', '1111100', 20190102, 20190228)),
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

test('a requested day is read in any case, and reported if it is not ordinary', async () => {
  const feed = busFeed(
    {
      ...calendar(service('daily', '1111100', 20250101, 20261231)),
      'calendar_dates.txt': [exception('extra', 20260312, 1)],
    },
    [...busLine(), ...busLine('extra')],
  );
  const file = await town.write('asked.zip', feed);
  const { feeds: facts, said } = await town.build([file], '2026-03-12');
  expect(facts[0].service_date).toBe('2026-03-12');
  expect(facts[0].weekday_patterns[0]).toEqual({ date: '2026-03-12', weekdays: 1, trips: 36 });
  expect(said).toMatch(/WARNING.*asked\.zip.*2026-03-12 is not one of its regular weekdays/);
});
