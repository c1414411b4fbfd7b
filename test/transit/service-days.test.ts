import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Calendar } from '../../builder/gtfs/calendar.ts';
import { FeedReport } from '../../builder/gtfs/feed-report.ts';
import type { FeedSource } from '../../builder/gtfs/feed-source.ts';
import { Dice } from './dice.ts';
import { exception, service } from './feed-records.ts';
import { csv, type FeedTables } from './gtfs-text.ts';

function sourceOf(tables: FeedTables): FeedSource {
  return {
    path: 'feed',
    has: (file) => file in tables,
    stream: async (file) => Readable.from([Buffer.from(csv(tables[file]))], { objectMode: false }),
    close: () => {},
  };
}

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
      sourceOf({
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
        if (!s.removed.has(date) && (usual || s.added.has(date))) trips += s.trips;
      }
      if (trips > 0) expected.push([date, trips]);
    }
    const found = calendar.tripsByDay(new Map(services.map(({ id, trips }) => [id, trips])));
    expect([...found], `seed ${seed}, round ${round}`).toEqual(expected);
  }
});
