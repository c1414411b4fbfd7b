import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { NodeTable } from '../osm/node-table.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { WALK_BACKWARD, WALK_FORWARD } from '../streets/traits.ts';
import { GrowableFloat64 } from './growable.ts';
import type { RawStreets } from './raw-streets.ts';

export interface KeptStreets {
  readonly ways: StreetWays;
  readonly nodes: StreetNodes;
  /** By place in the table: 1 where a way for walking passes. */
  readonly walkable: Uint8Array;
  /** References to nodes that the file lacks: they are left out of their ways. */
  readonly missingNodes: number;
}

/** Keeps the streets that come into an area, and numbers anew the nodes they use. */
export function keepStreets(raw: RawStreets, table: NodeTable, area: BoundingBox): KeptStreets {
  const refs = raw.refs.view();
  const ends = raw.endRef.view();
  const keptWays: number[] = [];
  const keptRefs = new GrowableFloat64();
  const firstRef: number[] = [0];
  const used = new Uint8Array(table.ids.length);
  const walkable = new Uint8Array(table.ids.length);
  let missingNodes = 0;
  for (let way = 0; way < ends.length; way++) {
    const places: number[] = [];
    let comesIn = false;
    for (let i = way === 0 ? 0 : ends[way - 1]; i < ends[way]; i++) {
      const place = table.find(refs[i]);
      if (table.isMissing(place)) {
        missingNodes++;
        continue;
      }
      places.push(place);
      comesIn ||= boxContains(area, table.lon[place], table.lat[place]);
    }
    if (!comesIn || places.length < 2) continue;
    keptWays.push(way);
    const isWalkable = (raw.traits.view()[way] & (WALK_FORWARD | WALK_BACKWARD)) !== 0;
    for (const place of places) {
      used[place] = 1;
      if (isWalkable) walkable[place] = 1;
      keptRefs.push(place);
    }
    firstRef.push(keptRefs.length);
  }

  const number = new Uint32Array(table.ids.length);
  const places: number[] = [];
  for (let place = 0; place < used.length; place++) {
    if (!used[place]) continue;
    number[place] = places.length;
    places.push(place);
  }
  return {
    ways: {
      count: keptWays.length,
      osmId: Float64Array.from(keptWays, (way) => raw.osmId.view()[way]),
      traits: Uint32Array.from(keptWays, (way) => raw.traits.view()[way]),
      firstRef: Uint32Array.from(firstRef),
      refs: Uint32Array.from(keptRefs.view(), (place) => number[place]),
    },
    nodes: {
      count: places.length,
      osmId: Float64Array.from(places, (place) => table.ids[place]),
      lon: Float64Array.from(places, (place) => table.lon[place]),
      lat: Float64Array.from(places, (place) => table.lat[place]),
      traits: Uint8Array.from(places, (place) => table.traits[place]),
    },
    walkable,
    missingNodes,
  };
}
