import { nodeTraits, SIGNAL } from '../../builder/streets/node-traits.ts';
import type { StreetNodes, StreetWays } from '../../builder/streets/street-ways.ts';
import {
  DRIVE_BACKWARD,
  DRIVE_FORWARD,
  RIDE_BACKWARD,
  RIDE_FORWARD,
  WALK_BACKWARD,
  WALK_FORWARD,
  withStress,
} from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { type MappedWay, mappedStreets } from '../support/mapped-streets.ts';
import { tagsOf } from '../support/tags.ts';

/** A seeded generator of numbers in [0, 1), mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const CALM = withStress(0, 1, 1);
const PRIVATE = streetTraits(tagsOf('highway=residential, access=private'));
const KINDS = [
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | CALM,
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | CALM,
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | withStress(0, 4, 2),
  RIDE_FORWARD | CALM,
  WALK_FORWARD | WALK_BACKWARD | CALM,
  WALK_BACKWARD | CALM,
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | PRIVATE | CALM,
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | PRIVATE | CALM,
  streetTraits(tagsOf('highway=primary, cycleway=track')),
  streetTraits(tagsOf('highway=secondary, cycleway:right=track')),
  streetTraits(tagsOf('highway=residential, bridge=yes')),
  streetTraits(tagsOf('highway=trunk, cycleway=lane')),
];

const SENT_TO_PATH = streetTraits(tagsOf('highway=tertiary, bicycle=use_sidepath'));
const BARRIERS = ['stile', 'bollard', 'gate, access=private', 'gate, access=no'].map((barrier) =>
  nodeTraits(tagsOf(`barrier=${barrier}`)),
);

/**
 * Streets of a small random town: a bent grid with holes, with dead ends, chains of short ways,
 * one-way ways, ways for one mode only, streets that send riders to a parallel path, and barriers.
 */
export function randomStreets(seed: number, side = 9): { ways: StreetWays; nodes: StreetNodes } {
  const random = seeded(seed);
  const places: [lon: number, lat: number][] = [];
  const addNode = (x: number, y: number) => places.push([-70 + x * 0.0011, 36 + y * 0.0009]) - 1;
  const corner = Array.from({ length: side * side }, (_, i) =>
    addNode((i % side) + random() * 0.6, Math.floor(i / side) + random() * 0.6),
  );
  const ways: MappedWay[] = [];
  // Lights hold for their own node only; those on stop lines of driven ways have their own tests.
  const addWay = (refs: number[], traits: number) =>
    ways.push({ refs, traits: traits & ~(DRIVE_FORWARD | DRIVE_BACKWARD) });
  const kind = () => KINDS[random() < 0.6 ? 0 : Math.floor(random() * KINDS.length)];
  const connect = (a: number, b: number) => {
    const bends = Math.floor(random() * 4);
    const path = [corner[a]];
    for (let i = 1; i <= bends; i++) {
      const t = i / (bends + 1);
      const along = (axis: 0 | 1) =>
        places[corner[a]][axis] * (1 - t) + places[corner[b]][axis] * t + (random() - 0.5) * 1e-4;
      path.push(places.push([along(0), along(1)]) - 1);
    }
    path.push(corner[b]);
    if (random() < 0.15) {
      addWay(path, SENT_TO_PATH);
      const aside = 6e-4 * random();
      const along = (t: number) =>
        [0, 1].map((axis) => places[corner[a]][axis] * (1 - t) + places[corner[b]][axis] * t);
      const beside = [0.1, 0.9].map((t) => {
        const [lon, lat] = along(t);
        return places.push(b === a + 1 ? [lon, lat + aside] : [lon + aside, lat]) - 1;
      });
      if (random() < 0.7) addWay([corner[a], ...beside, corner[b]], kind());
    } else if (random() < 0.3 && path.length > 2) {
      const cut = 1 + Math.floor(random() * (path.length - 2));
      const whole = kind();
      addWay(path.slice(0, cut + 1), whole);
      addWay(path.slice(cut), random() < 0.5 ? whole : kind());
    } else {
      addWay(path, kind());
    }
  };
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const at = y * side + x;
      if (x + 1 < side && random() < 0.85) connect(at, at + 1);
      if (y + 1 < side && random() < 0.85) connect(at, at + side);
      if (random() < 0.1) {
        const end = addNode(x + 0.5, y + 0.5);
        addWay([corner[at], end], kind());
      }
    }
  }
  // Most crossings have a signal; otherwise hardly any street would be ridden.
  const atNodes = places.map(() => {
    const lot = random();
    return lot < 0.7 ? SIGNAL : lot < 0.76 ? BARRIERS[Math.floor(random() * BARRIERS.length)] : 0;
  });
  const [mapped, nodes] = mappedStreets(places, ways, atNodes);
  return { ways: mapped, nodes };
}
