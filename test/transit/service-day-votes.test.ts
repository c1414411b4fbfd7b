import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FeedOutline } from '../../builder/gtfs/feed-outline.ts';
import { chooseServiceDays } from '../../builder/gtfs/service-day.ts';
import { forAll } from '../support/for-all.ts';

const DAY_MS = 86_400_000;
/** Monday, 2026-03-02: days are counted from it. */
const MONDAY = Date.UTC(2026, 2, 2) / DAY_MS;

/** The weekdays of a feed: days by pattern, the most common first. */
interface Drawn {
  readonly patterns: readonly { readonly days: readonly number[]; readonly trips?: number }[];
  /** The preferred days of each pattern; by default all of its days. */
  readonly preferred?: readonly (readonly number[])[];
  /** Days with some other service. */
  readonly others?: readonly number[];
  /** The days from and to which the feed states that it is valid. */
  readonly valid?: readonly [first: number, last: number];
  readonly agency?: string;
}

function outline({ patterns, preferred, others = [], valid, agency }: Drawn, i = 0): FeedOutline {
  const shifted = (days: readonly number[]) => days.map((day) => MONDAY + day);
  const trips = new Map(patterns.flatMap(({ days, trips = 9 }) => days.map((day) => [day, trips])));
  for (const day of others) trips.set(day, 1);
  return {
    path: `feed ${i}`,
    agency: `Agency ${i}`,
    agencies: new Set([agency ?? `agency ${i}`]),
    lines: new Set(['1', '2', '3']),
    info: {
      firstDay: valid ? MONDAY + valid[0] : null,
      lastDay: valid ? MONDAY + valid[1] : null,
    },
    days: {
      trips: new Map([...trips].map(([day, count]) => [MONDAY + day, count])),
      ordinary: new Set(shifted(patterns.flatMap(({ days }) => days))),
      patterns: patterns.map(({ days, trips = 9 }, p) => ({
        days: shifted(days),
        preferred: shifted(preferred?.[p] ?? days),
        trips,
      })),
    },
  } as unknown as FeedOutline;
}

function choose(feeds: readonly Drawn[], near = 0, asked: number | null = null) {
  const chosen = chooseServiceDays(
    feeds.map(outline),
    asked === null ? null : MONDAY + asked,
    MONDAY + near,
  );
  const dayOf = (date: string | null) =>
    date === null
      ? null
      : Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6))) /
          DAY_MS -
        MONDAY;
  return {
    common: dayOf(chosen.common),
    byFeed: chosen.byFeed.map(dayOf),
    patterns: chosen.patterns,
    said: chosen.notes,
  };
}

const someDays = fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 6 });
const drawn = fc.record({ first: someDays, second: someDays, few: someDays, others: someDays });

test('the common day is ordinary for most feeds, then of their commonest kind, then preferred, then near', () =>
  forAll(300, fc.array(drawn, { minLength: 1, maxLength: 4 }), fc.nat(9), (draws, near) => {
    const feeds = draws.map(({ first, second, few, others }) => {
      const rest = second.filter((day) => !first.includes(day));
      const patterns = [{ days: first }, ...(rest.length > 0 ? [{ days: rest }] : [])];
      const preferred = patterns.map(({ days }) => {
        const some = days.filter((day) => few.includes(day));
        return some.length > 0 ? some : days;
      });
      return { patterns, preferred, others };
    });
    // Ten days are two weeks of weekdays; fewer are an event.
    const lasting = feeds.filter(
      ({ patterns }) => patterns.flatMap(({ days }) => days).length >= 10,
    );
    const voters = lasting.length > 0 ? lasting : feeds;
    const count = (has: (feed: (typeof feeds)[number]) => boolean) => voters.filter(has).length;
    const scored = [...Array(10).keys()].map((day) => ({
      day,
      score: [
        count(({ patterns }) => patterns.some(({ days }) => days.includes(day))),
        count(({ patterns }) => patterns[0].days.includes(day)),
        count(({ preferred }) => preferred.some((days) => days.includes(day))),
        -Math.abs(day - near),
        -day,
      ],
    }));
    const best = scored.reduce((so, one) => {
      const at = one.score.findIndex((value, i) => value !== so.score[i]);
      return one.score[at] > so.score[at] ? one : so;
    });
    const { common, byFeed } = choose(feeds, near);
    expect(common).toBe(best.day);
    // A feed for which that day is not ordinary is read on its own: the nearest preferred day.
    feeds.forEach(({ patterns, preferred }, i) => {
      const isOrdinary = patterns.some(({ days }) => days.includes(best.day));
      const sorted = preferred[0].toSorted(
        (a, b) => Math.abs(a - best.day) - Math.abs(b - best.day) || a - b,
      );
      const own = byFeed[i]!;
      if (isOrdinary) expect(own).toBe(best.day);
      else expect(Math.abs(own - best.day)).toBe(Math.abs(sorted[0] - best.day));
    });
  }));

const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

test('a feed of a few days does not move others to the season of its event', () => {
  const town = {
    patterns: [
      { days: from(0, 30), trips: 40 },
      { days: from(100, 40), trips: 22 },
    ],
  };
  const fair = { patterns: [{ days: from(110, 5), trips: 18 }] };
  expect(choose([town, fair, town], 3)).toMatchObject({ common: 3, byFeed: [3, 110, 3] });
  // A feed of a summer is no event, but one feed of summer is fewer than two of term.
  const lakes = { patterns: [{ days: from(100, 40), trips: 18 }] };
  expect(choose([town, lakes, town], 3)).toMatchObject({ common: 3, byFeed: [3, 100, 3] });
  expect(choose([lakes], 3).common).toBe(100);
});

test('a timetable and its successor have one say, so that the day is not drawn to where they overlap', () => {
  const line = (first: number, count: number) => ({
    patterns: [{ days: from(first, count), trips: 30 }],
    valid: [first, first + count] as const,
    agency: 'Town',
  });
  const other = { patterns: [{ days: from(0, 90), trips: 30 }] };
  expect(choose([line(0, 60), line(50, 60), other], 3).common).toBe(3);
  expect(choose([line(50, 60), other, line(0, 60)], 3).common).toBe(3);
  const unstated = (first: number) => ({ ...line(first, 60), valid: undefined });
  // Few days in common also make one of them the successor, most days make them parts of a feed.
  expect(choose([unstated(0), unstated(50), other], 3).common).toBe(3);
  expect(choose([unstated(0), unstated(20), other], 3).common).toBe(20);
});

test('a requested day is read wherever there is service, ordinary or not', () => {
  const feeds = [
    { patterns: [{ days: [1, 2] }] },
    { patterns: [{ days: [3] }], others: [1] },
    { patterns: [{ days: [4, 8] }] },
  ];
  expect(choose(feeds, 3, 1)).toMatchObject({ common: 1, byFeed: [1, 1, 4] });
  // Without a request, no feed is read on a day that is not ordinary for it.
  expect(choose(feeds.slice(0, 2), 1)).toMatchObject({ common: 1, byFeed: [1, 3] });
});

test('each feed is reported with the day used, how usual it is, and which other days there are', () => {
  const patterns = [
    { days: [1, 2, 3, 7, 8], trips: 20 },
    { days: [4, 9, 11], trips: 12 },
    { days: [0], trips: 5 },
    { days: [10], trips: 4 },
  ];
  const { said, patterns: reported } = choose([{ patterns }], 2);
  expect(said).toEqual([
    'feed 0 (Agency 0): service day 2026-03-04, 20 trips, like 5 of its weekdays; unlike 3 like 2026-03-06 (12 trips), 1 like 2026-03-02 (5 trips)',
  ]);
  expect(reported).toEqual([
    [
      { date: '2026-03-04', weekdays: 5, trips: 20 },
      { date: '2026-03-06', weekdays: 3, trips: 12 },
      { date: '2026-03-02', weekdays: 1, trips: 5 },
    ],
  ]);
  const single = choose([{ patterns: [{ days: [2], trips: 7 }] }], 2);
  expect(single.said).toEqual([
    'feed 0 (Agency 0): service day 2026-03-04, 7 trips, like 1 of its weekdays',
  ]);
  // The pattern of the day used comes first, even where another is more common.
  const asked = choose([{ patterns }], 2, 4);
  expect(asked.patterns[0].map(({ date }) => date)).toEqual([
    '2026-03-06',
    '2026-03-05',
    '2026-03-02',
  ]);
});

test('warnings name a feed that is read on another day, and a day that is not regular', () => {
  const most = { patterns: [{ days: [1], trips: 3 }] };
  const without = { patterns: [{ days: [3], trips: 3 }] };
  const irregular = { patterns: [{ days: [3], trips: 3 }], others: [1] };
  const { said, patterns } = choose([most, most, without, irregular], 1);
  expect(said).toContain(
    'feed 2 (Agency 2): service day 2026-03-05, 3 trips, like 1 of its weekdays',
  );
  expect(patterns[2]).toEqual([{ date: '2026-03-05', weekdays: 1, trips: 3 }]);
  expect(said.filter((line) => line.startsWith('WARNING'))).toEqual([
    'WARNING: feed 2 (Agency 2) has no service on 2026-03-03; using the nearest day that has its regular service, 2026-03-05',
    'WARNING: feed 3 (Agency 3) has no regular service on 2026-03-03; using the nearest day that has its regular service, 2026-03-05',
  ]);
  expect(choose([most, irregular], 1, 1).said).toEqual([
    'feed 0 (Agency 0): service day 2026-03-03, 3 trips, like 1 of its weekdays',
    'WARNING: feed 1 (Agency 1): 2026-03-03 is not one of its regular weekdays: a holiday, or a day with two timetables at once',
    'feed 1 (Agency 1): service day 2026-03-03, 1 trips, like 1 of its weekdays; unlike 1 like 2026-03-05 (3 trips)',
  ]);
});
