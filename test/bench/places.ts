import { readShapefile } from '../../builder/inputs/shapefile.ts';
import type { Area } from '../../shards/geometry/polygon.ts';

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
