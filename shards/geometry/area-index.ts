import Flatbush from 'flatbush';
import { boundsOf } from './bounds.ts';
import { sideOf } from './point-in-area.ts';
import type { Rings } from './rings.ts';

export class AreaIndex {
  readonly #rings: Rings;
  readonly #tree: Flatbush | null;

  constructor(rings: Rings) {
    this.#rings = rings;
    const areas = rings.firstRing.length - 1;
    this.#tree = areas === 0 ? null : new Flatbush(areas);
    for (let area = 0; area < areas; area++) {
      const start = rings.firstPoint[rings.firstRing[area]];
      const end = rings.firstPoint[rings.firstRing[area + 1]];
      this.#tree!.add(...boundsOf(rings.x, rings.y, start, end));
    }
    this.#tree?.finish();
  }

  get byteLength(): number {
    return this.#tree?.data.byteLength ?? 0;
  }

  /**
   * The areas that contain a point or have it on their border, ascending. Coordinates are
   * micro-degrees, which may be fractional.
   */
  at(x: number, y: number): number[] {
    const found = this.#tree?.search(x, y, x, y) ?? [];
    return found.filter((area) => sideOf(this.#rings, area, x, y) !== 'outside').sort(ascending);
  }

  inBox(minX: number, minY: number, maxX: number, maxY: number): number[] {
    return (this.#tree?.search(minX, minY, maxX, maxY) ?? []).sort(ascending);
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}
