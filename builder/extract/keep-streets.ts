import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { isWalkedThrough } from '../streets/trait-bits.ts';
import type { RawStreets } from './raw-ways.ts';

export interface KeptStreets {
  readonly ways: StreetWays;
  readonly nodes: StreetNodes;
  /** Per ordinal in the node table: 1 where a walkable way passes. */
  readonly walkable: Uint8Array;
  /** Number of references from the kept ways to nodes that are in no file, which are left out. */
  readonly missingNodes: number;
}

/** Keeps the streets that enter an area, and renumbers the nodes they use. */
export function keepStreets(raw: RawStreets, table: NodeTable, area: BoundingBox): KeptStreets {
  const refs = raw.refs.view();
  const ends = raw.endRef.view();
  const keptWays: number[] = [];
  const keptRefs = new GrowableArray(Float64Array);
  const firstRef: number[] = [0];
  const used = new Uint8Array(table.ids.length);
  const walkable = new Uint8Array(table.ids.length);
  let missingNodes = 0;
  for (let way = 0; way < ends.length; way++) {
    const ordinals: number[] = [];
    let comesIn = false;
    let missing = 0;
    for (let i = way === 0 ? 0 : ends[way - 1]; i < ends[way]; i++) {
      const ordinal = table.find(refs[i]);
      if (table.isMissing(ordinal)) {
        missing++;
        continue;
      }
      ordinals.push(ordinal);
      comesIn ||= boxContains(area, table.lon[ordinal], table.lat[ordinal]);
    }
    if (!comesIn || ordinals.length < 2) continue;
    missingNodes += missing;
    keptWays.push(way);
    const isWalkable = isWalkedThrough(raw.traits.view()[way]);
    for (const ordinal of ordinals) {
      used[ordinal] = 1;
      if (isWalkable) walkable[ordinal] = 1;
      keptRefs.push(ordinal);
    }
    firstRef.push(keptRefs.length);
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
    missingNodes,
  };
}
