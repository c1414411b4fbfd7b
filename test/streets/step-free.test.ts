import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildNetwork } from '../../builder/streets/build-network.ts';
import { linkTargets } from '../../builder/streets/linked-targets.ts';
import { modeCosts } from '../../builder/streets/mode-costs.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { nodeTraits } from '../../builder/streets/node-traits.ts';
import { StreetSearch } from '../../builder/streets/street-search.ts';
import { WALK } from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { clearlyTied, naiveStreets, naiveTimes } from '../search/naive-router.ts';
import { seeded } from '../search/random-streets.ts';
import { forAll } from '../support/for-all.ts';
import { mappedStreets } from '../support/mapped-streets.ts';
import { positions } from '../support/rings.ts';
import { tagsOf } from '../support/tags.ts';

const LINE = positions('-70 36, -70.001 36, -70.002 36');

/** Whether a walk without steps gets along a way, past a node in its middle. */
function isPassed(way: string, node = ''): boolean {
  const street = { refs: [0, 1, 2], traits: streetTraits(tagsOf(way)) };
  const traits = node === '' ? [] : [0, nodeTraits(tagsOf(node))];
  const network = buildNetwork(...mappedStreets(LINE, [street], traits), undefined, true);
  const { forward } = modeCosts(network, 'step_free');
  const isWhole = network.edgeCount === 1 || network.to[0] === network.from[1];
  const through = network.edgeCount === 3 ? forward[0] : forward[network.edgeCount - 1];
  return (isWhole || network.edgeCount === 3) && Math.min(forward[0], through) > 0;
}

test.each<[way: string, passed: boolean]>([
  ['highway=footway', true],
  ['highway=steps', false],
  ['highway=steps, conveying=yes', false],
  ['highway=steps, ramp:wheelchair=yes', true],
  ['highway=steps, ramp:bicycle=yes', false],
  ['highway=steps, wheelchair=yes', true],
  ['highway=footway, conveying=yes', true],
  ['highway=footway, wheelchair=no', false],
  ['highway=footway, wheelchair=limited', true],
  ['highway=residential, wheelchair=no', false],
  ['highway=footway, footway=crossing, kerb=raised', false],
  ['highway=footway, footway=crossing, kerb=lowered', true],
  // Curbs along a street do not lie across it.
  ['highway=residential, kerb=raised', true],
  ['highway=elevator', true],
  ['highway=elevator, operational_status=out_of_order', false],
  ['highway=elevator, operational_status=operational', true],
  ['highway=elevator, disused=yes', false],
  ['highway=elevator, wheelchair=no', false],
])('along %s: %s', (way, passed) => {
  expect(isPassed(way)).toBe(passed);
});

test.each<[node: string, onFootway: boolean, onStreet: boolean]>([
  ['kerb=raised', false, true],
  ['kerb=yes', false, true],
  ['barrier=kerb', false, true],
  ['barrier=kerb, kerb=lowered', true, true],
  ['kerb=lowered', true, true],
  ['kerb=flush', true, true],
  ['kerb=rolled', true, true],
  ['kerb=no', true, true],
  ['kerb=raised, wheelchair=yes', true, true],
  ['kerb=lowered, wheelchair=no', false, true],
  ['highway=crossing', true, true],
  ['highway=crossing, wheelchair=no', false, true],
  ['highway=bus_stop, wheelchair=no', true, true],
  ['barrier=stile', false, true],
  ['barrier=kissing_gate', false, true],
  ['barrier=bollard', true, true],
  ['barrier=gate, wheelchair=no', false, true],
  ['entrance=yes, wheelchair=no', false, true],
  ['highway=elevator', true, true],
  ['highway=elevator, operational_status=broken', false, true],
])('past %s: %s on a footway, %s on a street', (node, onFootway, onStreet) => {
  expect(isPassed('highway=footway', node)).toBe(onFootway);
  expect(isPassed('highway=residential', node)).toBe(onStreet);
});

test('all other modes take no notice of steps', () => {
  const tagged = ['highway=footway', 'highway=steps', 'highway=elevator'];
  for (const node of ['kerb=raised', 'highway=elevator, disused=yes']) {
    const ways = tagged.map((way, i) => ({ refs: [i, i + 1], traits: streetTraits(tagsOf(way)) }));
    const places = positions('-70 36, -70.001 36, -70.002 36, -70.003 36');
    const at = (traits: number) => buildNetwork(...mappedStreets(places, ways, [0, traits]));
    expect(at(nodeTraits(tagsOf(node)))).toEqual(at(0));
  }
});

type Tags = Readonly<Record<string, string>>;
interface TaggedWay {
  readonly refs: number[];
  readonly tags: Tags;
}

const WAYS: readonly Tags[] = [
  { highway: 'residential' },
  { highway: 'residential', wheelchair: 'no' },
  { highway: 'footway' },
  { highway: 'footway', footway: 'crossing', kerb: 'raised' },
  { highway: 'footway', footway: 'crossing', kerb: 'flush' },
  { highway: 'steps' },
  { highway: 'steps', 'ramp:wheelchair': 'yes' },
  { highway: 'path', wheelchair: 'limited' },
];
const NODES: readonly Tags[] = [
  { kerb: 'raised' },
  { kerb: 'lowered' },
  { barrier: 'kerb' },
  { barrier: 'stile' },
  { highway: 'crossing', wheelchair: 'no' },
  { highway: 'elevator', operational_status: 'out_of_order' },
  { highway: 'elevator' },
];

/** A bent grid with holes, whose ways of two or three nodes have random tags, as have nodes. */
function taggedTown(seed: number, side = 10) {
  const random = seeded(seed);
  const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const places: number[][] = [];
  const place = (x: number, y: number) => places.push([-70 + x * 0.0011, 36 + y * 0.0009]) - 1;
  const corner = Array.from({ length: side * side }, (_, i) =>
    place((i % side) + random() * 0.6, Math.floor(i / side) + random() * 0.6),
  );
  const ways: TaggedWay[] = [];
  const connect = (a: number, b: number) => {
    const tags = random() < 0.5 ? one([WAYS[0], WAYS[2]]) : one(WAYS);
    const middle = [0, 1].map(
      (axis) => (places[a][axis] + places[b][axis]) / 2 + (random() - 0.5) * 1e-4,
    );
    ways.push({ refs: random() < 0.5 ? [a, b] : [a, places.push(middle) - 1, b], tags });
  };
  for (let i = 0; i < side * side; i++) {
    if ((i + 1) % side !== 0 && random() < 0.9) connect(corner[i], corner[i + 1]);
    if (i + side < side * side && random() < 0.9) connect(corner[i], corner[i + side]);
  }
  const nodes = places.map((): Tags => (random() < 0.15 ? one(NODES) : {}));
  return { places, ways, nodes };
}

const mapOf = (tags: Tags) => new Map(Object.entries(tags));
const asMapped = ({ refs, tags }: TaggedWay) => ({ refs, traits: streetTraits(mapOf(tags)) });

/**
 * The streets without steps by their tags: what has steps is closed to walkers, and ways for
 * pedestrians end at curbs.
 */
function withoutSteps({ places, ways, nodes }: ReturnType<typeof taggedTown>) {
  const all = [...places];
  const hasStep = ({ kerb, barrier, wheelchair, operational_status: status }: Tags) =>
    kerb === 'raised' || barrier !== undefined || wheelchair === 'no' || status !== undefined;
  const kept = ways.flatMap((way): ReturnType<typeof asMapped>[] => {
    const { refs, tags } = way;
    const isClosed =
      tags.wheelchair === 'no' ||
      tags.kerb === 'raised' ||
      (tags.highway === 'steps' && tags['ramp:wheelchair'] !== 'yes');
    const { traits } = asMapped(way);
    const isDriven = tags.highway === 'residential';
    if (isClosed && !isDriven) return [];
    // A street goes on at a step, which counts as a crossing, like those of closed streets.
    const pieces: number[][] = [[]];
    refs.forEach((node, i) => {
      const end = () => (hasStep(nodes[node]) && !isDriven ? all.push(places[node]) - 1 : node);
      pieces[pieces.length - 1].push(end());
      const isInside = i > 0 && i < refs.length - 1;
      if (isInside && hasStep(nodes[node])) pieces.push([end()]);
    });
    if (isClosed) return pieces.map((piece) => ({ refs: piece, traits: traits & ~WALK }));
    return pieces.map((piece) => ({ refs: piece, traits }));
  });
  return mappedStreets(all, kept, barriers(nodes));
}

/** Node traits of the barriers alone, which riders do not pass. */
function barriers(nodes: readonly Tags[]): number[] {
  return nodes.map(({ barrier = '' }) =>
    barrier === 'stile' ? nodeTraits(mapOf({ barrier, wheelchair: 'yes' })) : 0,
  );
}

/** Half a millisecond per edge of a trip, and a few for its ends. */
const ROUNDING_MS = 60;
const LIMIT = 20 * 60_000;

test('step-free times agree with brute force over the tags of random towns, and are never below those of walks', async () => {
  let [compared, slower] = [0, 0];
  await forAll(30, fc.nat(), (seed) => {
    const town = taggedTown(seed);
    const traits = town.nodes.map((tags) => nodeTraits(mapOf(tags)));
    const mapped = mappedStreets(town.places, town.ways.map(asMapped), traits);
    const plain = mappedStreets(town.places, town.ways.map(asMapped), barriers(town.nodes));
    const naive = [naiveStreets(...plain, 'walk'), naiveStreets(...withoutSteps(town), 'walk')];
    const random = seeded(seed + 1);
    const drawn = Array.from({ length: 30 }, () => ({
      lon: -70 + random() * 0.0105,
      lat: 36 + random() * 0.0086,
    }));
    const points = naive.reduce((left, streets) => clearlyTied(streets, left), drawn);
    const [onFoot, stepFree] = naive.map((streets) => naiveTimes(streets, points));
    const searches = (['walk', 'step_free'] as const).map((mode) => {
      const streets = buildNetwork(...mapped, undefined, mode === 'step_free');
      const { graph, linker } = buildModeNetwork(streets, mode, { coverage: null });
      const links = points.map(({ lon, lat }) => linker.link(lon, lat));
      const targets = links.flatMap((link, target) =>
        typeof link === 'string' ? [] : [{ target, link }],
      );
      const search = new StreetSearch(graph, linkTargets(graph, points.length, targets), LIMIT);
      return { links, search };
    });
    const [walk, free] = searches;
    points.forEach((_, origin) => {
      for (const { links, search } of searches) {
        const link = links[origin];
        if (typeof link === 'string') search.clear();
        else search.run(link);
      }
      free.search.delayTo(walk.search);
      points.forEach((_, target) => {
        const expected = Math.max(
          onFoot[origin]?.[target] ?? Infinity,
          stepFree[origin]?.[target] ?? Infinity,
        );
        const found = free.search.times[target];
        expect(found).toBeGreaterThanOrEqual(walk.search.times[target]);
        if (expected > LIMIT - ROUNDING_MS) expect(found).toBeGreaterThan(LIMIT - ROUNDING_MS);
        else expect(Math.abs(found - expected)).toBeLessThanOrEqual(ROUNDING_MS);
        if (expected < LIMIT) compared++;
        if (expected < LIMIT && expected > (onFoot[origin]?.[target] ?? 0) + 1000) slower++;
      });
    });
  });
  // Trips that stairs and curbs lengthen are among them.
  expect(compared).toBeGreaterThan(1_000);
  expect(slower).toBeGreaterThan(100);
});
