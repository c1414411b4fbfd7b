import { PLACE_GEOID } from '../../shards/geoid.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import { boxesMeet, boxOf } from '../../shards/geometry/wgs84.ts';
import type { PlaceRecord } from '../../shards/places/place-table.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { coordinateOf } from '../inputs/decimal.ts';
import { readShapefile, type ShapeRecord } from '../inputs/shapefile.ts';

export interface CensusPlace extends Omit<PlaceRecord, 'population'> {
  readonly area: Area;
}

/**
 * Reads the census places that may lie within a box from TIGER/Line `place` shapefiles, one by one.
 * An invalid record, or a place given twice, throws an error that names it.
 */
export async function* readCensusPlaces(
  paths: readonly string[],
  within: BoundingBox,
  note: (line: string) => void,
): AsyncGenerator<CensusPlace> {
  const given = new Set<string>();
  for (const path of paths) {
    for await (const record of readShapefile(path, note)) {
      if (!boxesMeet(boxOfArea(record.area), within)) continue;
      const place = placeOf(path, record);
      if (given.has(place.geoid)) {
        throw new BuildError(
          `${path}: record ${record.number}: place ${place.geoid} appears twice`,
        );
      }
      given.add(place.geoid);
      yield place;
    }
  }
}

function placeOf(path: string, { number, fields, area }: ShapeRecord): CensusPlace {
  const geoid = String(fields.GEOID ?? '');
  const name = String(fields.NAME ?? '');
  const [lon, lat] = [coordinateOf(fields.INTPTLON, 180), coordinateOf(fields.INTPTLAT, 90)];
  if (PLACE_GEOID.test(geoid) && name !== '' && lon !== null && lat !== null) {
    return { geoid, name, lon, lat, area, box: boxOfArea(area) };
  }
  throw new BuildError(
    `${path}: record ${number} has no 7-digit GEOID, NAME, INTPTLON and INTPTLAT; a TIGER/Line place file is needed`,
  );
}

function boxOfArea({ polygons }: Area): BoundingBox {
  return boxOf(polygons.flatMap(([shell]) => shell));
}
