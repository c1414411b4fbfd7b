import type { GeoidNumber } from '../../shards/geoid.ts';
import { areaOf } from '../../shards/geometry/planar.ts';
import { isWithin } from '../../shards/geometry/point-in-area.ts';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { ringsOf } from '../../shards/geometry/rings-of.ts';
import { crossesItself } from '../../shards/geometry/self-crossing.ts';
import {
  boxContains,
  boxesMeet,
  boxOf,
  bufferBox,
  localDistance,
} from '../../shards/geometry/wgs84.ts';
import type { Release } from '../../shards/release.ts';
import { type BoundingBox, type Degrees, type Metres, MICRO, toMicro } from '../../shards/units.ts';
import { Problem } from '../http/problem.ts';

/** An area that somebody drew, ready to say what lies in it. */
export interface AskedArea {
  readonly box: BoundingBox;
  /** Degrees. */
  contains(lon: Degrees, lat: Degrees): boolean;
}

const MAX_VERTICES = 2_000;
const MAX_SQUARE_METRES = 5_000e6;
const LEAST_POSITIONS = 4;

/** A circle on the ground. */
export function circle(lon: Degrees, lat: Degrees, radius: Metres): AskedArea {
  return {
    box: bufferBox({ minLon: lon, minLat: lat, maxLon: lon, maxLat: lat }, radius),
    contains: (x, y) => localDistance(lon, lat, x, y) <= radius,
  };
}

/**
 * Polygons of a GeoJSON Polygon or MultiPolygon. `polygon-too-complex` over 2,000 vertices or
 * 5,000 km²; `invalid-geometry` for what is unclosed, crosses itself or is out of range.
 */
export function drawnArea(drawn: readonly Polygon[]): AskedArea {
  const polygons = drawn.map((polygon) => polygon.map(withoutRepeats));
  const rings = polygons.flat();
  const vertices = rings.reduce((sum, ring) => sum + Math.max(0, ring.length - 1), 0);
  if (vertices > MAX_VERTICES) {
    throw new Problem(
      'polygon-too-complex',
      `the polygon has ${vertices} vertices; at most ${MAX_VERTICES} are taken: simplify it`,
    );
  }
  if (rings.length === 0) throw invalid('it has no ring');
  if (polygons.some((polygon) => polygon.length === 0)) throw invalid('a polygon has no ring');
  for (const ring of rings) checkRing(ring);
  const squareMetres = areaOf(polygons);
  if (squareMetres > MAX_SQUARE_METRES) {
    throw new Problem(
      'polygon-too-complex',
      `the polygon covers ${Math.round(squareMetres / 1e6)} km²; at most 5,000 are taken: divide it`,
    );
  }
  if (polygons.some(crossesItself)) throw invalid('its rings cross');
  const areas = polygons.map((polygon) => ringsOf([{ polygons: [polygon] }]));
  return {
    box: boxOf(rings.flat()),
    contains: (lon, lat) => areas.some((area) => isWithin(area, 0, toMicro(lon), toMicro(lat))),
  };
}

function checkRing(ring: Ring): void {
  for (const [lon, lat] of ring) {
    if (Math.abs(lon) > 180 || Math.abs(lat) > 90) {
      throw invalid(`the position ${lon}, ${lat} is out of range; longitude comes first`);
    }
  }
  if (ring.length < LEAST_POSITIONS) throw invalid('a ring needs at least four positions');
  const [first, last] = [ring[0], ring[ring.length - 1]];
  if (first[0] !== last[0] || first[1] !== last[1]) {
    throw invalid('a ring is not closed: its last position must repeat its first');
  }
  const distinct = new Set(ring.map(([lon, lat]) => `${lon},${lat}`));
  if (distinct.size < LEAST_POSITIONS - 1) throw invalid('a ring encloses nothing');
}

/** A position given twice in a row means nothing. */
function withoutRepeats(ring: Ring): Ring {
  return ring.filter(
    ([lon, lat], i) => i === 0 || lon !== ring[i - 1][0] || lat !== ring[i - 1][1],
  );
}

function invalid(problem: string): Problem {
  return new Problem('invalid-geometry', `the polygon is not valid: ${problem}`);
}

/** The blocks of a release whose centre is in an area, ascending. */
export async function blocksIn(release: Release, area: AskedArea): Promise<GeoidNumber[]> {
  const blocks: GeoidNumber[] = [];
  for (const { county, blockBox } of release.counties) {
    if (!boxesMeet(blockBox, area.box)) continue;
    const index = await release.index(county);
    for (let i = 0; i < index.count; i++) {
      const [lon, lat] = [index.lon[i] / MICRO, index.lat[i] / MICRO];
      if (boxContains(area.box, lon, lat) && area.contains(lon, lat)) blocks.push(index.geoids[i]);
    }
  }
  return blocks;
}
