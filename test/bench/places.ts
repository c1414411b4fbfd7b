import { readShapefile } from '../../builder/inputs/shapefile.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import type { Release } from '../../shards/release/release.ts';

/** A census place and its area, from its census outline. */
export interface Place {
  readonly geoid: string;
  readonly area: Area;
}

/** Reads the places of TIGER/Line shapefiles. */
export async function readPlaces(files: readonly string[]): Promise<Place[]> {
  const places: Place[] = [];
  for (const file of files) {
    for await (const { area, fields } of readShapefile(file)) {
      places.push({ geoid: String(fields.GEOID), area });
    }
  }
  return places;
}

/** GEOIDs of those census places that the release has. */
export async function placesIn(release: Release, places: readonly Place[]): Promise<string[]> {
  const tables = await Promise.all(
    Object.values(release.manifest.states).map((state) => release.places(state)),
  );
  return places
    .map(({ geoid }) => geoid)
    .filter((geoid) => tables.some((table) => table.ordinalOf(geoid) !== -1));
}
