import type { StreetNodes, StreetWays } from '../../builder/streets/street-ways.ts';
import {
  RIDE_BACKWARD,
  RIDE_FORWARD,
  SIGNAL,
  streetTraits,
  WALK_BACKWARD,
  WALK_FORWARD,
  withStress,
} from '../../builder/streets/traits.ts';

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
const PRIVATE = streetTraits(
  new Map(Object.entries({ highway: 'residential', access: 'private' })),
);
const KINDS = [
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | CALM,
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | CALM,
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | withStress(0, 4, 2),
  RIDE_FORWARD | CALM,
  WALK_FORWARD | WALK_BACKWARD | CALM,
  WALK_BACKWARD | CALM,
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | PRIVATE | CALM,
  WALK_FORWARD | WALK_BACKWARD | RIDE_FORWARD | RIDE_BACKWARD | PRIVATE | CALM,
];

/**
 * Streets of a small town at random: a bent grid with holes, with dead ends, chains of short ways,
 * one-way ways and ways for one mode only.
 */
export function randomStreets(seed: number, side = 9): { ways: StreetWays; nodes: StreetNodes } {
  const random = seeded(seed);
  const lon: number[] = [];
  const lat: number[] = [];
  const addNode = (x: number, y: number) => {
    lon.push(-70 + x * 0.0011);
    lat.push(36 + y * 0.0009);
    return lon.length - 1;
  };
  const corner = Array.from({ length: side * side }, (_, i) =>
    addNode((i % side) + random() * 0.6, Math.floor(i / side) + random() * 0.6),
  );
  const traits: number[] = [];
  const firstRef: number[] = [0];
  const refs: number[] = [];
  const addWay = (nodes: number[], kind: number) => {
    refs.push(...nodes);
    firstRef.push(refs.length);
    traits.push(kind);
  };
  const kind = () => KINDS[random() < 0.6 ? 0 : Math.floor(random() * KINDS.length)];
  const connect = (a: number, b: number) => {
    const bends = Math.floor(random() * 4);
    const path = [corner[a]];
    for (let i = 1; i <= bends; i++) {
      const t = i / (bends + 1);
      lon.push(lon[corner[a]] * (1 - t) + lon[corner[b]] * t + (random() - 0.5) * 1e-4);
      lat.push(lat[corner[a]] * (1 - t) + lat[corner[b]] * t + (random() - 0.5) * 1e-4);
      path.push(lon.length - 1);
    }
    path.push(corner[b]);
    if (random() < 0.3 && path.length > 2) {
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
  return {
    ways: {
      count: traits.length,
      osmId: Float64Array.from(traits, (_, i) => i),
      traits: Uint32Array.from(traits),
      firstRef: Uint32Array.from(firstRef),
      refs: Uint32Array.from(refs),
    },
    nodes: {
      count: lon.length,
      osmId: Float64Array.from(lon, (_, i) => i),
      lon: Float64Array.from(lon),
      lat: Float64Array.from(lat),
      // Most crossings have a signal, or hardly a street would be ridden.
      traits: Uint8Array.from(lon, () => (random() < 0.7 ? SIGNAL : 0)),
    },
  };
}
