import { latOf, lonOf } from '../../../shards/geometry/web-mercator.ts';
import type { DataOf } from '../../client/src/index.ts';

type Ring = readonly (readonly number[])[];

/** An outline prepared for drawing. */
export interface Drawing {
  /** The `d` of an SVG path, to be filled with the even-odd rule. */
  readonly path: string;
  /** Position of a point in the picture. */
  place(lon: number, lat: number): readonly [x: number, y: number];
  /** Position of a point given as fractions of the world's width and height in Web Mercator. */
  placeInWorld(x: number, y: number): readonly [x: number, y: number];
  /** West, south, east and north edge of the picture, degrees; east may exceed 180. */
  readonly bounds: readonly [west: number, south: number, east: number, north: number];
  /** The lowest zoom whose tiles are drawn no larger than `TILE_SIZE`. */
  readonly zoom: number;
  /** Length of a metre in the picture. */
  readonly perMetre: number;
}

const METRES_PER_DEGREE = 111_195;
/** Maximum size at which a tile is drawn. */
const TILE_SIZE = 512;

/**
 * Fits an outline into a picture with a margin, north up and true to scale at its middle, in the
 * equirectangular projection about that latitude. Places across the antimeridian stay whole.
 */
export function drawOutline(
  { geometry }: Pick<DataOf<'getPlaceBoundary'>, 'geometry'>,
  size: { readonly width: number; readonly height: number; readonly margin: number },
): Drawing {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const rings: readonly Ring[] = polygons.flat();
  const points = rings.flat();
  const isAcross = spread(points.map(([lon]) => lon)) > 180;
  const eastOf = (lon: number) => (isAcross && lon < 0 ? lon + 360 : lon);
  const lons = range(points.map(([lon]) => eastOf(lon)));
  const lats = range(points.map(([, lat]) => lat));
  const shrink = Math.cos((lats.middle * Math.PI) / 180);
  const perDegree = Math.min(
    (size.width - 2 * size.margin) / (lons.span * shrink || 1),
    (size.height - 2 * size.margin) / (lats.span || 1),
  );
  const place = (lon: number, lat: number) =>
    [
      size.width / 2 + (eastOf(lon) - lons.middle) * shrink * perDegree,
      size.height / 2 - (lat - lats.middle) * perDegree,
    ] as const;
  const [halfEast, halfNorth] = [
    size.width / 2 / (shrink * perDegree),
    size.height / 2 / perDegree,
  ];
  return {
    path: rings.map((ring) => pathOf(ring, place)).join(''),
    place,
    placeInWorld: (x, y) => place(lonOf(x), latOf(y)),
    bounds: [
      lons.middle - halfEast,
      lats.middle - halfNorth,
      lons.middle + halfEast,
      lats.middle + halfNorth,
    ],
    zoom: Math.ceil(Math.log2((360 * shrink * perDegree) / TILE_SIZE)),
    perMetre: perDegree / METRES_PER_DEGREE,
  };
}

function pathOf(ring: Ring, place: Drawing['place']): string {
  const corners = ring.map(([lon, lat]) =>
    place(lon, lat)
      .map((at) => at.toFixed(1))
      .join(' '),
  );
  return `M${corners.join('L')}Z`;
}

function range(values: readonly number[]): { readonly middle: number; readonly span: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { middle: (low + high) / 2, span: high - low };
}

function spread(values: readonly number[]): number {
  return range(values).span;
}
