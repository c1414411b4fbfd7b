import { countyOf } from '../../shards/geoid.ts';
import type { ExampleMarks } from '../endpoint.ts';

/** Rows per page, few because examples should be cheap. */
export const FEW_ROWS = 3;
const SMALL_RADIUS_M = 250;
const ISOCHRONE_MINUTES = 5;

/**
 * Parameter values in examples, by component name. The reference sends them when an operation is
 * tried; a parameter without a value is omitted.
 */
export function parameterExamples(marks: ExampleMarks): Readonly<Record<string, unknown>> {
  const { block, point, mode, poi, maxMinutes, type, trip, place, tile } = marks;
  return {
    BlockGeoid: block,
    CountyFips: countyOf(block),
    Lat: point.lat,
    Lon: point.lon,
    Mode: [mode],
    Type: [type],
    MaxMinutes: maxMinutes,
    Limit: FEW_ROWS,
    DestIdOfPath: poi.dest_id,
    DestIdOfTrip: trip.dest_id,
    ModeOfTrip: trip.mode,
    Bbox: boxAround(poi),
    IsochroneBlock: block,
    IsochroneMinutes: ISOCHRONE_MINUTES,
    PlaceName: place?.name ?? 'a',
    ...(place && { PlaceGeoid: place.geoid }),
    ...(tile && { TileMode: mode, TileType: type }),
    ...(tile && { TileZoom: tile.z, TileX: tile.x, TileY: tile.y }),
  };
}

/** A circle with few blocks, as `POST /v1/blocks/query` accepts it. */
export function smallCircle({ point }: ExampleMarks) {
  return { center: point, radius_m: SMALL_RADIUS_M, limit: FEW_ROWS };
}

/** An area with few blocks. */
export function smallArea({ point }: ExampleMarks) {
  return { center: point, radius_m: SMALL_RADIUS_M };
}

/** Returns a box that extends a few hundred metres in each direction from a POI. */
function boxAround({ lat, lon }: ExampleMarks['poi']): string {
  const around = 0.002;
  return [lon - around, lat - around, lon + around, lat + around]
    .map((degrees) => degrees.toFixed(4))
    .join();
}
