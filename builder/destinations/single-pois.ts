import { checkDestIds } from './dest-id.ts';
import type { Destination } from './destination.ts';
import { withoutDuplicates } from './duplicates.ts';
import type { PoiRecord } from './from-files.ts';
import { mergeSources } from './merge-sources.ts';
import type { RatedPoi } from './overture-poi.ts';

/**
 * Returns the records with each id once. Extracts of Overture overlap; of differing records of one
 * POI, the same one always stays, whatever their order. Throws a `BuildError` that names both if
 * two POIs of the user's own lists have the same id.
 */
export function distinctById(records: readonly PoiRecord[]): PoiRecord[] {
  const { listed, rated } = byKind(records);
  const overture = new Map<string, RatedPoi>();
  for (const poi of rated) {
    const { source } = poi.destination;
    const other = overture.get(source);
    if (!other || textOf(poi) < textOf(other)) overture.set(source, poi);
  }
  checkDestIds([
    ...listed.map(({ destination: { destId }, record }) => ({ destId, source: record })),
    ...[...overture.values()].map(destinationOf),
  ]);
  return [...listed, ...overture.values()];
}

function textOf({ confidence, destination }: RatedPoi): string {
  return JSON.stringify([confidence, destination]);
}

/**
 * Returns each real POI once, ascending by `destId`. Among Overture's duplicates, the one with the
 * highest confidence stays; the user's own lists take precedence over Overture. The order of the
 * input does not matter. The result for a POI depends only on the POIs within a few hundred metres.
 */
export function singlePois(records: readonly PoiRecord[]): Destination[] {
  const { listed, rated } = byKind(records);
  const trusted = rated.sort(
    (a, b) => b.confidence - a.confidence || a.destination.destId - b.destination.destId,
  );
  return mergeSources(listed.map(destinationOf), withoutDuplicates(trusted.map(destinationOf)));
}

function byKind(records: readonly PoiRecord[]) {
  return {
    listed: records.filter((poi) => 'record' in poi),
    rated: records.filter((poi) => 'confidence' in poi),
  };
}

function destinationOf({ destination }: PoiRecord): Destination {
  return destination;
}
