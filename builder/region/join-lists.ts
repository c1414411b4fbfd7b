import { boxAroundBoth, boxContains, bufferBox } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, DestId } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { mergeSources } from '../destinations/merge-sources.ts';
import { poiBox, SAME_POI } from '../destinations/poi-distance.ts';
import type { PoiTables } from '../prepare/prepared-pois.ts';

/** Destinations of all sources, ascending by `destId`. */
interface JoinedLists {
  readonly destinations: Destination[];
  /** Those that lists have and OpenStreetMap has not. */
  readonly ids: ReadonlySet<DestId>;
}

/**
 * The destinations of OpenStreetMap within an area, with what lists have there. Which place of a list
 * is one of OpenStreetMap's is decided here, by who builds a region, and all who lead to the place
 * have to agree. They do: it follows from what is within 100 m, and areas are read so much farther
 * than anything in them can be reached. Only an outline may lead on past the area: so lists are read
 * as far as those do.
 */
export async function joinLists(
  osm: readonly Destination[],
  lists: PoiTables,
  area: BoundingBox,
): Promise<JoinedLists> {
  const outlined = osm.filter(({ outline }) => outline).map(poiBox);
  const around = bufferBox(outlined.reduce(boxAroundBoth, area), SAME_POI);
  const listed: Destination[] = [];
  const ids = new Set<DestId>();
  for await (const poi of lists.within(around)) {
    listed.push(poi);
    ids.add(poi.destId);
  }
  const merged = mergeSources(osm, listed);
  const destinations = merged.filter(
    ({ destId, lon, lat }) => !ids.has(destId) || boxContains(area, lon, lat),
  );
  return { destinations, ids };
}
