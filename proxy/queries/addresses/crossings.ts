import type { AddressRange } from '../../../shards/addresses/address-table.ts';
import { addTo } from '../../../shards/arrays/group-by.ts';
import { type GeoidNumber, geoidFromNumber } from '../../../shards/geoid.ts';
import { localDistance } from '../../../shards/geometry/wgs84.ts';
import { type Metres, MICRO, type MicroDegrees } from '../../../shards/units.ts';
import type { Match } from './street-matches.ts';

/** Farthest that the sides of two streets are apart where they cross. */
const CROSSING: Metres = 30;
/** Crossings nearer to each other than this are one, of the lanes of a wide street. */
const APART: Metres = 150;
/** Micro-degrees of longitude that a metre has at most, at 72° N. */
const PER_METRE = 30;
/** Vertices compared with those near them between two looks at the clock. */
const VERTICES_PER_STEP = 256;

interface Vertex {
  readonly x: MicroDegrees;
  readonly y: MicroDegrees;
  /** Position of its street. */
  readonly street: number;
  readonly geoid: GeoidNumber;
}

/** A point where two streets meet, by their positions, and the block with the lowest GEOID. */
interface Crossing extends Pick<Match, 'lat' | 'lon' | 'geoid'> {
  readonly own: number;
  readonly other: number;
}

/** Vertices of two streets near each other; `x` and `y` are of the first. */
interface Meeting extends Pick<Vertex, 'x' | 'y'> {
  count: number;
  sumX: MicroDegrees;
  sumY: MicroDegrees;
  lowest: GeoidNumber;
}

/**
 * Finds the points where some streets, each given by its ranges, meet others, in time in proportion
 * to the vertices. `isSame` tells whether two positions are of one street, which meets itself
 * nowhere.
 */
export function* crossingSteps(
  own: readonly (readonly AddressRange[])[],
  others: readonly (readonly AddressRange[])[],
  isSame: (own: number, other: number) => boolean,
): Generator<undefined, Crossing[], undefined> {
  const squares = new Squares<Vertex>(CROSSING * PER_METRE);
  let steps = 0;
  for (const vertex of verticesOf(own)) {
    squares.add(vertex);
    if (++steps % VERTICES_PER_STEP === 0) yield;
  }
  const meetings = own.map(() => others.map(() => new Squares<Meeting>(APART * PER_METRE)));
  for (const vertex of verticesOf(others)) {
    for (const near of squares.around(vertex)) {
      if (isSame(near.street, vertex.street)) continue;
      if (metresBetween(near, vertex) > CROSSING) continue;
      const middle = { x: (near.x + vertex.x) / 2, y: (near.y + vertex.y) / 2 };
      const known = meetings[near.street][vertex.street];
      let meeting = known.around(middle).find((one) => metresBetween(one, middle) < APART);
      if (!meeting) {
        meeting = { ...middle, count: 0, sumX: 0, sumY: 0, lowest: Number.POSITIVE_INFINITY };
        known.add(meeting);
      }
      meeting.count++;
      meeting.sumX += middle.x;
      meeting.sumY += middle.y;
      meeting.lowest = Math.min(meeting.lowest, near.geoid, vertex.geoid);
    }
    if (++steps % VERTICES_PER_STEP === 0) yield;
  }
  return meetings.flatMap((row, own) =>
    row.flatMap((found, other) =>
      [...found].map(({ count, sumX, sumY, lowest }) => ({
        own,
        other,
        lat: Math.round(sumY / count) / MICRO,
        lon: Math.round(sumX / count) / MICRO,
        geoid: geoidFromNumber(lowest),
      })),
    ),
  );
}

class Squares<T extends Pick<Vertex, 'x' | 'y'>> {
  readonly #side: MicroDegrees;
  readonly #items = new Map<number, T[]>();

  constructor(side: MicroDegrees) {
    this.#side = side;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const items of this.#items.values()) yield* items;
  }

  add(item: T): void {
    addTo(this.#items, this.#keyOf(item.x, item.y), item);
  }

  /** The items less than a side away, and some that are farther. */
  around({ x, y }: Pick<Vertex, 'x' | 'y'>): T[] {
    const near: T[] = [];
    for (let dx = -this.#side; dx <= this.#side; dx += this.#side) {
      for (let dy = -this.#side; dy <= this.#side; dy += this.#side) {
        near.push(...(this.#items.get(this.#keyOf(x + dx, y + dy)) ?? []));
      }
    }
    return near;
  }

  #keyOf(x: MicroDegrees, y: MicroDegrees): number {
    return Math.floor(x / this.#side) * MICRO + Math.floor(y / this.#side);
  }
}

function* verticesOf(streets: readonly (readonly AddressRange[])[]): Generator<Vertex> {
  for (const [street, ranges] of streets.entries()) {
    for (const { x, y, geoid } of ranges) {
      if (x.length === 1) continue;
      for (let i = 0; i < x.length; i++) yield { x: x[i], y: y[i], street, geoid };
    }
  }
}

function metresBetween(a: Pick<Vertex, 'x' | 'y'>, b: Pick<Vertex, 'x' | 'y'>): Metres {
  return localDistance(a.x / MICRO, a.y / MICRO, b.x / MICRO, b.y / MICRO);
}
