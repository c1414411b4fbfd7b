import type { ExampleMarks } from '../endpoint.ts';

/** Rows a page: an example is to cost little. */
const FEW_ROWS = 5;
const SMALL_RADIUS_M = 250;
const ISOCHRONE_MINUTES = 5;

/**
 * Parameter values in examples, by component name. The reference sends them when an operation is
 * tried; a parameter without one is left out.
 */
export function parameterExamples(marks: ExampleMarks): Readonly<Record<string, unknown>> {
  const { block, point, mode, poi, maxMinutes, type, place, tile } = marks;
  return {
    BlockGeoid: block,
    Lat: point.lat,
    Lon: point.lon,
    Mode: [mode],
    Type: [type],
    MaxMinutes: maxMinutes,
    Limit: FEW_ROWS,
    DestIdOfPath: poi.dest_id,
    Bbox: boxAround(poi),
    IsochroneBlock: block,
    IsochroneMinutes: ISOCHRONE_MINUTES,
    PlaceName: place?.name ?? 'a',
    ...(place && { PlaceGeoid: place.geoid }),
    ...(tile && { TileMode: mode, TileType: type }),
    ...(tile && { TileZoom: tile.z, TileX: tile.x, TileY: tile.y }),
  };
}

/** A circle of few blocks, as `POST /v1/blocks/query` takes it. */
export function smallCircle({ point }: ExampleMarks) {
  return { center: point, radius_m: SMALL_RADIUS_M, limit: FEW_ROWS };
}

/** Some hundred metres to each side. */
function boxAround({ lat, lon }: ExampleMarks['poi']): string {
  const around = 0.002;
  return [lon - around, lat - around, lon + around, lat + around]
    .map((degrees) => degrees.toFixed(4))
    .join();
}
