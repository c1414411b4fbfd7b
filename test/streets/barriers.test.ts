import { expect, test } from 'vitest';
import { routingOf } from '../../builder/routing-parameters.ts';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { CLOSED, modeCosts } from '../../builder/streets/mode-costs.ts';
import type { StreetNetwork } from '../../builder/streets/network.ts';
import { nodeTraits } from '../../builder/streets/node-traits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import type { StreetMode } from '../../shards/modes.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { positions } from '../support/rings.ts';
import { tagsOf } from '../support/tags.ts';

/** Whether a barrier with these tags, in the middle of a street, can be passed. */
function passes(mode: StreetMode, tags: string): boolean {
  const street = { refs: [0, 1, 2], traits: streetTraits(tagsOf('highway=residential')) };
  const places = positions('-70 36, -70.001 36, -70.002 36');
  const network = buildNetwork(...mappedStreets(places, [street], [0, nodeTraits(tagsOf(tags))]));
  const { forward } = modeCosts(network, mode);
  let at = network.from[0];
  let metres = 0;
  for (let step = 0; step < network.edgeCount; step++) {
    const edge = network.from.findIndex((from, e) => from === at && forward[e] !== CLOSED);
    if (edge === -1) return false;
    at = network.to[edge];
    metres += network.length[edge];
  }
  expect(metres).toBeGreaterThan(170);
  return true;
}

test.each<[string, string, boolean, boolean]>([
  ['a bollard', 'barrier=bollard', true, true],
  ['a closed gate', 'barrier=gate, access=no', false, false],
  ['one for bicycles', 'barrier=gate, access=no, bicycle=yes', false, true],
  ['one for walkers, who may push', 'barrier=gate, bicycle=no', true, true],
])('%s lets the right modes through', (_, tags, walk, bike) => {
  expect([passes('walk', tags), passes('bike', tags)]).toEqual([walk, bike]);
});

/** Seconds from each end to every other end of some 100 m streets that meet at a barrier. */
function secondsThrough(mode: StreetMode, ends: number, tags: string): number[] {
  const traits = streetTraits(tagsOf('highway=residential'));
  const streets = Array.from({ length: ends }, (_, i) => ({ refs: [i + 1, 0], traits }));
  const metre = 1 / 111_319.490793;
  const places = [[0, 0], ...streets.map((_, i) => [(i % 2 === 0 ? 100 : -100) * metre, 0])];
  const network = buildNetwork(...mappedStreets(places, streets, [nodeTraits(tagsOf(tags))]));
  const isEnd = (vertex: number) => network.vertexLon[vertex] !== 0;
  const from = [...Array(network.vertexCount).keys()].filter(isEnd);
  return from.flatMap((start) => {
    const times = timesFrom(network, modeCosts(network, mode), start);
    return from.filter((end) => end !== start).map((end) => times[end] / 1000);
  });
}

/** Milliseconds to each vertex, relaxed until nothing changes. */
function timesFrom(
  { vertexCount, edgeCount, from, to }: StreetNetwork,
  { forward, backward }: ReturnType<typeof modeCosts>,
  start: number,
): number[] {
  const times = new Array<number>(vertexCount).fill(Number.POSITIVE_INFINITY);
  times[start] = 0;
  for (let round = 0; round < vertexCount; round++) {
    for (let e = 0; e < edgeCount; e++) {
      if (forward[e] !== CLOSED) times[to[e]] = Math.min(times[to[e]], times[from[e]] + forward[e]);
      if (backward[e] === CLOSED) continue;
      times[from[e]] = Math.min(times[from[e]], times[to[e]] + backward[e]);
    }
  }
  return times;
}

const [WALK, RIDE] = [4.8 / 3.6, 15 / 3.6];
test.each<[string, string, number]>([
  ['a bollard', 'barrier=bollard', 0],
  ['a stile', 'barrier=stile', 10],
  ['a turnstile', 'barrier=turnstile', 10],
  ['a kissing gate', 'barrier=kissing_gate', 10],
  ['a cycle barrier', 'barrier=cycle_barrier', 10],
  ['a cycle barrier that one rides through', 'barrier=cycle_barrier, bicycle=yes', 0],
  ['a gate for walkers', 'barrier=gate, bicycle=no', 10],
])(
  '%s delays riders once, whatever number of streets meet there, and walkers not at all',
  (_, tags, push) => {
    for (const ends of [2, 3, 4]) {
      const each = (seconds: number) =>
        Array.from({ length: ends * (ends - 1) }, () => expect.closeTo(seconds, 1));
      expect(secondsThrough('walk', ends, tags)).toEqual(each(200 / WALK));
      expect(secondsThrough('bike', ends, tags)).toEqual(each(200 / RIDE + push));
    }
  },
);

/** Access to a street, how it is traversed, and whether trips may only begin or end there. */
test.each<[StreetMode, string, 'open' | 'closed', 'ridden' | 'walked', 'local' | 'through']>([
  ['walk', 'highway=residential', 'open', 'walked', 'through'],
  ['bike', 'highway=residential', 'open', 'ridden', 'through'],
  ['walk', 'highway=residential, access=private', 'open', 'walked', 'local'],
  ['bike', 'highway=residential, access=private', 'open', 'ridden', 'local'],
  // The bicycle is pushed, since through traffic may only walk.
  ['bike', 'highway=service, access=private, foot=yes', 'open', 'walked', 'through'],
  ['walk', 'highway=motorway', 'closed', 'walked', 'through'],
  ['bike', 'highway=motorway', 'closed', 'walked', 'through'],
])('for %s, %s is %s, %s and %s', (mode, tags, access, kind, reach) => {
  const street = { refs: [0, 1], traits: streetTraits(tagsOf(tags)) };
  const network = buildNetwork(...mappedStreets(positions('-70 36, -70.001 36'), [street]));
  const { forward, backward, isLocal, ridden } = modeCosts(network, mode);
  const isOpen = access === 'open';
  expect([forward[0] !== CLOSED, backward[0] !== CLOSED]).toEqual([isOpen, isOpen]);
  expect([ridden[0] !== 0, isLocal[0]]).toEqual([kind === 'ridden', Number(reach === 'local')]);
});

test.each([
  [1, 'walked'],
  [2, 'ridden'],
  [3, 'ridden'],
])('with a highest stress of %i, a street of stress 2 is %s', (stress, kind) => {
  const street = { refs: [0, 1], traits: streetTraits(tagsOf('highway=residential, lts=2')) };
  const network = buildNetwork(...mappedStreets(positions('-70 36, -70.001 36'), [street]));
  const routing = routingOf({ bike_max_traffic_stress: stress, bike_speed_kmh: 12 });
  const { forward } = modeCosts(network, 'bike', routing);
  const kmh = kind === 'ridden' ? 12 : 4.8;
  expect(forward[0]).toBe(Math.round((network.length[0] / (kmh / 3.6)) * 1000));
});
