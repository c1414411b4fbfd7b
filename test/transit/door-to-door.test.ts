import { expect, test } from 'vitest';
import { DoorToDoor } from '../../builder/transit/door-to-door.ts';
import { EgressBuilder } from '../../builder/transit/egress.ts';
import { buildFootpaths } from '../../builder/transit/footpaths.ts';
import { RangeRaptor } from '../../builder/transit/range-raptor.ts';
import { ALIGHT, BOARD, buildTimetable } from '../../builder/transit/timetable.ts';

test('the only way there is taken, which takes as long as its own bound and as trips may', () => {
  const [from, to] = [0, 1];
  const trip = {
    stops: [from, to],
    rules: [BOARD, ALIGHT],
    arrivals: [100_000, 200_000],
    departures: [100_000, 200_000],
  };
  const [limit, step, walk, never] = [250_000, 60_000, 50_000, 250_001];
  const footpaths = buildFootpaths(2, [], [], 0);
  const window = { departures: 1, step };
  const raptor = new RangeRaptor(buildTimetable(2, [trip]), footpaths, {
    ...window,
    boardSlack: 0,
    limit,
  });
  const egress = new EgressBuilder(Int32Array.of(0));
  egress.endStop();
  egress.add(0, walk);
  egress.endStop();
  const reached = raptor.run(Int32Array.of(from), Int32Array.of(0), 0);
  const times = Int32Array.of(never);
  const search = new DoorToDoor(egress.finish(), { ...window, index: 0 });
  search.lower(raptor, reached, 0, times, 1, [limit, limit]);
  expect([...times]).toEqual([250_000]);
});
