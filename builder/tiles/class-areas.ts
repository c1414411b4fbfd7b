import { EdgeSet } from '../../shards/geometry/edge-set.ts';
import { nestRings } from '../../shards/geometry/nest-rings.ts';
import { walkRings } from '../../shards/geometry/ring-walk.ts';
import type { Rings } from '../../shards/geometry/rings.ts';
import { type Arcs, OUTSIDE, pushAlong, pushBack } from './block-arcs.ts';

/** A county's arcs, and the class of each of its blocks; class 0 means none. */
interface ClassedBlocks {
  readonly arcs: Arcs;
  readonly classes: Uint8Array;
}

const keepHoles = (): boolean => false;

/**
 * Unites the blocks of each class, across counties. The border of a class consists of the arcs with
 * the class on only one side. Arcs of neighbouring counties cancel where they meet in the same
 * class.
 */
export class ClassAreas {
  readonly #edges: readonly EdgeSet[];

  constructor(classes: number) {
    this.#edges = Array.from({ length: classes }, () => new EdgeSet());
  }

  /** The polygons of each class, from class 1 on. */
  of(counties: readonly ClassedBlocks[]): Rings[] {
    for (const edges of this.#edges) edges.clear();
    for (const county of counties) this.#addBorders(county);
    return this.#edges.map((edges) => {
      edges.cancelOpposites();
      return nestRings(walkRings(edges), keepHoles);
    });
  }

  #addBorders({ arcs, classes }: ClassedBlocks): void {
    const { count, firstPoint, inside, outside } = arcs;
    for (let arc = 0; arc < count; arc++) {
      const left = classes[inside[arc]];
      const right = outside[arc] === OUTSIDE ? 0 : classes[outside[arc]];
      if (left === right) continue;
      const [start, end] = [firstPoint[arc], firstPoint[arc + 1]];
      if (left !== 0) pushAlong(this.#edges[left - 1], arcs, start, end);
      if (right !== 0) pushBack(this.#edges[right - 1], arcs, start, end);
    }
  }
}
