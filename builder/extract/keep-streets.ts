import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { isWalkedThrough } from '../streets/trait-bits.ts';
import { comesInto, cutAtMissing, type RawStreets, refsOf } from './raw-ways.ts';

interface KeptStreets {
  readonly ways: StreetWays;
  readonly nodes: StreetNodes;
  /** Per ordinal in the node table: 1 where a walkable way passes. */
  readonly walkable: Uint8Array;
  readonly missing: MissingNodes;
}

/** Numbers of references from the kept ways to nodes that are in no file, where ways are cut. */
export interface MissingNodes {
  /** References before the first known node of a way, or after the last: at an extract's edge. */
  readonly atEnds: number;
  /** References between known nodes, and the number of ways that have any. */
  readonly inside: number;
  readonly cutWays: number;
}

/**
 * Keeps the streets that enter an area, and renumbers the nodes they use. A street that lacks nodes
 * inside becomes several ways.
 */
export function keepStreets(raw: RawStreets, table: NodeTable, area: BoundingBox): KeptStreets {
  const keptWays: number[] = [];
  const keptRefs = new GrowableArray(Float64Array);
  const firstRef: number[] = [0];
  const used = new Uint8Array(table.ids.length);
  const walkable = new Uint8Array(table.ids.length);
  let [atEnds, inside, cutWays] = [0, 0, 0];
  for (let way = 0; way < raw.osmId.length; way++) {
    const cut = cutAtMissing(refsOf(raw, way), table);
    if (!comesInto(area, cut, table)) continue;
    const isWalkable = isWalkedThrough(raw.traits.view()[way]);
    for (const piece of cut.pieces) {
      if (piece.length < 2) continue;
      keptWays.push(way);
      for (const ordinal of piece) {
        used[ordinal] = 1;
        if (isWalkable) walkable[ordinal] = 1;
        keptRefs.push(ordinal);
      }
      firstRef.push(keptRefs.length);
    }
    atEnds += cut.missingAtEnds;
    inside += cut.missingInside;
    if (cut.missingInside > 0) cutWays++;
  }

  const number = new Uint32Array(table.ids.length);
  const ordinals: number[] = [];
  for (let ordinal = 0; ordinal < used.length; ordinal++) {
    if (!used[ordinal]) continue;
    number[ordinal] = ordinals.length;
    ordinals.push(ordinal);
  }
  return {
    ways: {
      count: keptWays.length,
      osmId: Float64Array.from(keptWays, (way) => raw.osmId.view()[way]),
      traits: Uint32Array.from(keptWays, (way) => raw.traits.view()[way]),
      firstRef: Uint32Array.from(firstRef),
      refs: Uint32Array.from(keptRefs.view(), (ordinal) => number[ordinal]),
      times: new Map(
        keptWays.flatMap((way, kept) => {
          const time = raw.times.get(way);
          return time ? [[kept, time] as const] : [];
        }),
      ),
    },
    nodes: {
      count: ordinals.length,
      osmId: Float64Array.from(ordinals, (ordinal) => table.ids[ordinal]),
      lon: Float64Array.from(ordinals, (ordinal) => table.lon[ordinal]),
      lat: Float64Array.from(ordinals, (ordinal) => table.lat[ordinal]),
      traits: Uint8Array.from(ordinals, (ordinal) => table.traits[ordinal]),
    },
    walkable,
    missing: { atEnds, inside, cutWays },
  };
}
