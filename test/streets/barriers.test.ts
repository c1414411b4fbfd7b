import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { CLOSED, modeCosts } from '../../builder/streets/mode-costs.ts';
import { nodeTraits, streetTraits } from '../../builder/streets/traits.ts';
import type { StreetMode } from '../../shards/modes.ts';

/** Whether one gets through a barrier with these tags, in the middle of a street. */
function passes(mode: StreetMode, tags: Record<string, string>): boolean {
  const network = buildNetwork(
    {
      count: 1,
      osmId: Float64Array.of(1),
      traits: Uint32Array.of(streetTraits(new Map([['highway', 'residential']]))),
      firstRef: Uint32Array.of(0, 3),
      refs: Uint32Array.of(0, 1, 2),
    },
    {
      count: 3,
      osmId: Float64Array.of(1, 2, 3),
      lon: Float64Array.of(-70, -70.001, -70.002),
      lat: Float64Array.of(36, 36, 36),
      traits: Uint8Array.of(0, nodeTraits(new Map(Object.entries(tags))), 0),
    },
  );
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

test.each<[string, Record<string, string>, boolean, boolean]>([
  ['a bollard', { barrier: 'bollard' }, true, true],
  ['a closed gate', { barrier: 'gate', access: 'no' }, false, false],
  ['one for bicycles', { barrier: 'gate', access: 'no', bicycle: 'yes' }, false, true],
  ['one for walkers, who may push', { barrier: 'stile', bicycle: 'no' }, true, true],
])('%s lets through whom it says', (_, tags, walk, bike) => {
  expect([passes('walk', tags), passes('bike', tags)]).toEqual([walk, bike]);
});
