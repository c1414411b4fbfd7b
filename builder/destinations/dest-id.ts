import { createHash } from 'node:crypto';
import type { DestId } from '../../shards/units.ts';

export type OsmType = 'node' | 'way' | 'relation';

const OSM_CODE: Readonly<Record<OsmType, number>> = { node: 1, way: 2, relation: 3 };

/**
 * The `dest_id` of an OSM element: derived from its id and type, so it is stable across releases.
 */
export function osmDestId(type: OsmType, id: number): DestId {
  return id * 4 + OSM_CODE[type];
}

/**
 * The `dest_id` of a POI from another source: 50 bits of SHA-256 of the source's own id above two
 * zero bits, a combination that no OSM element has.
 */
export function hashedDestId(source: string, id: string): DestId {
  const digest = createHash('sha256').update(`${source}\0${id}`).digest();
  return Math.floor(Number(digest.readBigUInt64BE(0) >> 14n)) * 4;
}
