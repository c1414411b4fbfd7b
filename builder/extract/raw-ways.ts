import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { WayTime } from '../streets/way-time.ts';

/** Ways as read, in flat arrays of node ids, before anything is known about the nodes. */
export interface RawWays {
  readonly osmId: GrowableArray<Float64Array>;
  /** Exclusive end of each way's node ids in `refs`. */
  readonly endRef: GrowableArray<Float64Array>;
  readonly refs: GrowableArray<Float64Array>;
}

export interface RawStreets extends RawWays {
  readonly traits: GrowableArray<Float64Array>;
  /** Travel times of the ways that are not walked, by index of the way. */
  readonly times: Map<number, WayTime>;
}

export function emptyWays(): RawWays {
  const numbers = () => new GrowableArray(Float64Array);
  return { osmId: numbers(), endRef: numbers(), refs: numbers() };
}

export function emptyStreets(): RawStreets {
  return { ...emptyWays(), traits: new GrowableArray(Float64Array), times: new Map() };
}

export function addWay(ways: RawWays, id: number, nodes: Iterable<number>): void {
  ways.osmId.push(id);
  for (const node of nodes) ways.refs.push(node);
  ways.endRef.push(ways.refs.length);
}

export function addStreet(
  streets: RawStreets,
  id: number,
  nodes: Iterable<number>,
  traits: number,
  time: WayTime | null | undefined,
): void {
  if (time) streets.times.set(streets.osmId.length, time);
  streets.traits.push(traits);
  addWay(streets, id, nodes);
}

export function refsOf({ refs, endRef }: RawWays, way: number): Float64Array {
  const ends = endRef.view();
  return refs.view().subarray(way === 0 ? 0 : ends[way - 1], ends[way]);
}

/** The nodes of a way as ordinals in a node table, cut where files lack nodes. */
interface CutWay {
  readonly pieces: readonly (readonly number[])[];
  /** Number of nodes that no file has, before the first piece and after the last. */
  readonly missingAtEnds: number;
  /** Number of nodes that no file has, between the pieces. */
  readonly missingInside: number;
}

export function cutAtMissing(refs: Float64Array, table: NodeTable): CutWay {
  const pieces: number[][] = [];
  let missing = 0;
  let missingAtEnds = 0;
  let missingInside = 0;
  for (const ref of refs) {
    const ordinal = table.find(ref);
    if (table.isMissing(ordinal)) {
      missing++;
    } else if (pieces.length > 0 && missing === 0) {
      pieces[pieces.length - 1].push(ordinal);
    } else {
      if (pieces.length === 0) missingAtEnds = missing;
      else missingInside += missing;
      pieces.push([ordinal]);
      missing = 0;
    }
  }
  return { pieces, missingAtEnds: missingAtEnds + missing, missingInside };
}

/** Whether any node of a way lies in an area. */
export function comesInto(area: BoundingBox, { pieces }: CutWay, table: NodeTable): boolean {
  return pieces.some((piece) =>
    piece.some((node) => boxContains(area, table.lon[node], table.lat[node])),
  );
}
