import type { Position } from '../../shards/geometry/polygon.ts';
import type { Degrees } from '../../shards/units.ts';
import { SortedIds } from './sorted-ids.ts';

/**
 * Nodes that files reference, in flat arrays, ascending by id. Their ids are known before their
 * locations.
 */
export class NodeTable extends SortedIds {
  /** Degrees; NaN until the node has been read, and permanently if the file lacks it. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** Traits packed by `nodeTraits`. */
  readonly traits: Uint8Array;
  /** 1 where the node is a gate or an entrance. */
  readonly gate: Uint8Array;

  /** `references` are ids in any order, possibly repeated. They are sorted in place. */
  constructor(references: Float64Array) {
    super(references);
    const count = this.ids.length;
    this.lon = new Float64Array(count).fill(Number.NaN);
    this.lat = new Float64Array(count).fill(Number.NaN);
    this.traits = new Uint8Array(count);
    this.gate = new Uint8Array(count);
  }

  /** Sets the position of a node, and returns its ordinal; -1 for a node that is not there. */
  locate(id: number, lon: Degrees, lat: Degrees): number {
    const ordinal = this.find(id);
    if (ordinal !== -1) {
      this.lon[ordinal] = lon;
      this.lat[ordinal] = lat;
    }
    return ordinal;
  }

  isMissing(ordinal: number): boolean {
    return Number.isNaN(this.lon[ordinal]);
  }

  /** The ordinals of those of some nodes that a file has. */
  present(ids: ArrayLike<number>): number[] {
    const ordinals = Array.from(ids, (id) => this.find(id));
    return ordinals.filter((ordinal) => ordinal !== -1 && !this.isMissing(ordinal));
  }

  /** The positions of those of some nodes that a file has. */
  positions(ids: ArrayLike<number>): Position[] {
    return this.present(ids).map((ordinal) => [this.lon[ordinal], this.lat[ordinal]]);
  }
}
