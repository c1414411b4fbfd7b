import { expect, test } from 'vitest';
import type { FeedFacts } from '../../shards/release/manifest.ts';
import { avenueFeed } from './avenue.ts';
import { BusTown, busFeed, busLine, EIGHT, RIDE, STOPS, TIME } from './bus-town.ts';
import { AGENCY, service } from './feed-records.ts';

const town = new BusTown();

const days = (feeds: readonly FeedFacts[]) => feeds.map(({ service_date }) => service_date);

test('assumptions name each feed by file, feed id and agency, and the day it was read for', async () => {
  const early = busFeed({
    'calendar.txt': [service('daily', '1111100', 20260101, 20260331)],
    'feed_info.txt': [{ feed_publisher_name: 'Buses', feed_lang: 'en', feed_id: 'f-buses' }],
  });
  const late = busFeed({
    'agency.txt': [{ ...AGENCY, agency_name: 'Others' }],
    'calendar.txt': [service('daily', '1111100', 20270101, 20270331)],
    'feed_info.txt': [{ feed_publisher_name: 'Buses', feed_lang: 'en' }],
  });
  const files = [await town.write('with-id.zip', early), await town.write('no-id.zip', late)];
  const { assumptions, feeds } = await town.build(files);
  expect(assumptions.feeds).toEqual([
    {
      file: 'with-id.zip',
      feed_id: 'f-buses',
      agency: AGENCY.agency_name,
      service_date: feeds[0].service_date,
    },
    {
      file: 'no-id.zip',
      feed_id: null,
      agency: 'Others',
      service_date: feeds[1].service_date,
    },
  ]);
  expect(days(feeds).map((day) => day.slice(0, 4))).toEqual(['2026', '2027']);
});

test('times are by the clock of each feed: seven in Chicago is eight in New York', async () => {
  const stops = { A: STOPS.A, M: 5_000, B: STOPS.B };
  const onward = (first: number) => busLine('daily', first, { M: 6, B: RIDE });
  const chicago = { 'agency.txt': [{ ...AGENCY, agency_timezone: 'America/Chicago' }] };
  const newYork = await town.write(
    'ny.zip',
    avenueFeed(stops, busLine('daily', EIGHT - 60, { A: 0, M: 5 })),
  );
  const sameZone = await town.write('same.zip', avenueFeed(stops, onward(EIGHT - 60)));
  const hourOff = await town.write('chicago.zip', avenueFeed(stops, onward(EIGHT - 120), chicago));
  expect((await town.build([newYork, sameZone])).minutes).toBe(TIME);
  expect((await town.build([newYork, hourOff])).minutes).toBe(TIME);
  // Alone, a feed of Chicago uses its own eight o'clock.
  const alone = await town.write('alone.zip', busFeed(chicago));
  const { minutes, feeds } = await town.build([alone]);
  expect([minutes, feeds[0].time_zone]).toEqual([TIME, 'America/Chicago']);
});

test('a feed of another season keeps its clock', async () => {
  const stops = { A: STOPS.A, M: 5_000, B: STOPS.B };
  const winter = avenueFeed(stops, busLine('daily', EIGHT - 60, { A: 0, M: 5 }), {
    'calendar.txt': [service('daily', '1111111', 20260105, 20260227)],
  });
  // Buses leave M from 8:06 to 9:06; six meet a bus that a rider departing after eight can catch.
  const summer = avenueFeed(stops, busLine('daily', EIGHT, { M: 6, B: RIDE }).slice(0, 7), {
    'calendar.txt': [service('daily', '1111111', 20250701, 20250731)],
  });
  const files = [await town.write('winter.zip', winter), await town.write('summer.zip', summer)];
  const { minutes, feeds } = await town.build(files);
  expect(days(feeds)).toEqual(['2026-01-12', '2025-07-24']);
  expect(minutes).toBe(TIME);
});
