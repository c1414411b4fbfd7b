import { expect, test } from 'vitest';
import { DoorToDoor } from '../../builder/transit/door-to-door.ts';
import { EgressBuilder } from '../../builder/transit/egress.ts';
import { FastestDepartures } from '../../builder/transit/fastest-departures.ts';

test('takes the only route, whose duration equals both its own bound and the trip limit', () => {
  const [limit, step, walk, never] = [250_000, 60_000, 50_000, 250_001];
  const [stop, lane] = [1, 15];
  const limits = { departures: 1, step, boardSlack: 0, limit };
  const fastest = new FastestDepartures(2, limits, 1);
  fastest.begin(0);
  fastest.arrive(stop, lane, 200_000, 0, 0);
  const egress = new EgressBuilder(Int32Array.of(0));
  egress.endStop();
  egress.add(0, walk);
  egress.endStop();
  const search = new DoorToDoor(egress.finish(), fastest, { split: 1, limits: [limit, limit] });
  const times = Int32Array.of(never);
  search.run();
  expect(search.lower(lane, times)).toBe(1);
  expect([...times]).toEqual([250_000]);
});
