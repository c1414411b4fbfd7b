import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Calendar } from '../../builder/gtfs/calendar.ts';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';
import { exception, service } from './feed-records.ts';
import { feedSource } from './gtfs-text.ts';

const MILLIS_PER_DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1) / MILLIS_PER_DAY;
const DAYS = 60;
const asNumber = (day: number) =>
  Number(new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10).replaceAll('-', ''));

test('the trips of each day are those of the services that run then, day by day', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const dice = new Dice(seed);
  for (let round = 0; round < 100; round++) {
    const day = () => START + dice.below(DAYS);
    const services = Array.from({ length: 1 + dice.below(5) }, (_, i) => ({
      id: `s${i}`,
      weekdays: Array.from({ length: 7 }, () => dice.below(2)),
      first: day(),
      last: day(),
      inCalendar: dice.chance(0.8),
      added: new Set(Array.from({ length: dice.below(6) }, day)),
      removed: new Set(Array.from({ length: dice.below(6) }, day)),
      trips: 1 + dice.below(9),
    }));
    const calendar = await Calendar.read(
      feedSource({
        'calendar.txt': services
          .filter(({ inCalendar }) => inCalendar)
          .map((s) => service(s.id, s.weekdays.join(''), asNumber(s.first), asNumber(s.last))),
        'calendar_dates.txt': services.flatMap(({ id, added, removed }) => [
          ...[...added].map((date) => exception(id, asNumber(date), 1)),
          ...[...removed].map((date) => exception(id, asNumber(date), 2)),
        ]),
      }),
      new FeedReport(),
    );
    const expected: [number, number][] = [];
    for (let date = START; date < START + DAYS; date++) {
      const weekday = (new Date(date * MILLIS_PER_DAY).getUTCDay() + 6) % 7;
      let trips = 0;
      for (const s of services) {
        const usual =
          s.inCalendar && s.weekdays[weekday] === 1 && s.first <= date && date <= s.last;
        // The added dates come first in the file.
        if (s.added.has(date) || (usual && !s.removed.has(date))) trips += s.trips;
      }
      if (trips > 0) expected.push([date, trips]);
    }
    const found = calendar.tripsByDay(new Map(services.map(({ id, trips }) => [id, trips])));
    expect([...found], `seed ${seed}, round ${round}`).toEqual(expected);
  }
});

const version = fc.record({
  weekdays: fc.array(fc.constantFrom(0, 1), { minLength: 7, maxLength: 7 }),
  first: fc.nat(12),
  last: fc.nat(24),
  trips: fc.integer({ min: 1, max: 4 }),
});

test('two versions of a timetable overlap from the start of the later to the end of the earlier', () =>
  forAll(120, fc.array(fc.array(version, { maxLength: 5 }), { maxLength: 3 }), async (routes) => {
    const services = routes.flatMap((versions, route) =>
      versions.map((one, i) => ({ ...one, id: `${route} ${i}`, route })),
    );
    const calendar = await Calendar.read(
      feedSource({
        'calendar.txt': services.map(({ id, weekdays, first, last }) =>
          service(id, weekdays.join(''), asNumber(START + first), asNumber(START + last)),
        ),
      }),
      new FeedReport(),
    );
    const overlaps = calendar.overlapOfVersions(
      new Map(
        routes.map((versions, route) => [
          String(route),
          new Map(versions.map(({ trips }, i) => [`${route} ${i}`, trips])),
        ]),
      ),
    );
    // Services of one route with the same dates and weekdays are one version.
    const kindOf = ({ route, first, last, weekdays }: (typeof services)[number]) =>
      `${route} ${first} ${last} ${weekdays.slice(0, 5)}`;
    const kinds = [...new Set(services.map(kindOf))].map((kind) => {
      const alike = services.filter((one) => kindOf(one) === kind);
      return { ...alike[0], trips: alike.reduce((sum, { trips }) => sum + trips, 0) };
    });
    const pairs = kinds.flatMap((early) =>
      kinds
        .filter((late) => {
          const [few, many] = [early.trips, late.trips].sort((a, b) => a - b);
          const isLater = early.first < late.first && early.last < late.last;
          const isSimilar =
            [0, 1, 2, 3, 4].some((i) => early.weekdays[i] === 1 && late.weekdays[i] === 1) &&
            many <= 2 * few;
          return early.route === late.route && late.first <= late.last && isLater && isSimilar;
        })
        .map((late) => [late.first, early.last]),
    );
    const days = Array.from({ length: 30 }, (_, i) => i - 1);
    expect(days.map((day) => overlaps(START + day))).toEqual(
      days.map((day) => pairs.some(([first, last]) => first <= day && day <= last)),
    );
  }));
