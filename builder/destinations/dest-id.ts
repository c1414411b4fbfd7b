import { createHash } from 'node:crypto';
import { type DestId, MAX_DEST_ID } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import type { DestinationFacts } from './destination.ts';

type OsmType = 'node' | 'way' | 'relation';

const OSM_CODE: Readonly<Record<OsmType, number>> = { node: 1, way: 2, relation: 3 };

/**
 * The `dest_id` of an OSM element: derived from its id and type, so it is stable across releases.
 */
export function osmDestId(type: OsmType, id: number): DestId {
  const destId = id * 4 + OSM_CODE[type];
  if (destId <= MAX_DEST_ID) return destId;
  throw new BuildError(
    `${type} ${id} of OpenStreetMap: its id is too large for a POI; run osmium sort and then osmium renumber on its file`,
  );
}

/**
 * The `dest_id` of a POI from another source: 47 bits of SHA-256 of the source's own id above two
 * zero bits, a combination that no OSM element has: below 10^15, as `MAX_DEST_ID` says.
 */
export function hashedDestId(source: string, id: string): DestId {
  const digest = createHash('sha256').update(`${source}\0${id}`).digest();
  return Number(digest.readBigUInt64BE(0) >> 17n) * 4;
}

/** Throws a `BuildError` that names both destinations if two have the same `destId`. */
export function checkDestIds(
  destinations: readonly Pick<DestinationFacts, 'destId' | 'source'>[],
): void {
  const sources = new Map<DestId, string>();
  for (const { destId, source } of destinations) {
    const other = sources.get(destId);
    if (other !== undefined) {
      throw new BuildError(
        `${other} and ${source} both have dest_id ${destId}: their ids are equal or, rarely, have the same hash; change one of them`,
      );
    }
    sources.set(destId, source);
  }
}
