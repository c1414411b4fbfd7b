import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { CLOSED, modeCosts } from '../../builder/streets/mode-costs.ts';
import { nodeTraits, streetTraits } from '../../builder/streets/traits.ts';
import type { StreetMode } from '../../shards/modes.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { positions } from '../support/rings.ts';
import { tagsOf } from '../support/tags.ts';

/** Whether one gets through a barrier with these tags, in the middle of a street. */
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
  ['one for walkers, who may push', 'barrier=stile, bicycle=no', true, true],
])('%s lets through whom it says', (_, tags, walk, bike) => {
  expect([passes('walk', tags), passes('bike', tags)]).toEqual([walk, bike]);
});
