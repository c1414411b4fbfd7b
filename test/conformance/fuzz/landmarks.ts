import { geoidFromNumber } from '../../../shards/geoid.ts';
import type { Release } from '../../../shards/release/release.ts';
import { type Degrees, MICRO } from '../../../shards/units.ts';
import type { Landmarks } from '../routes.ts';
import type { Pools } from './schema-arbitrary.ts';

const SOME = 24;
/** Half the sides of boxes and areas, in degrees: some 100 m to 5 km. */
const HALF_SIDES = [0.001, 0.01, 0.05];
const PLACES_ON_THE_WAY = 20;

/**
 * Contents of a release: one of each kind for requests that must succeed, and values to draw from.
 */
export async function landmarksOf(release: Release): Promise<{ marks: Landmarks; pools: Pools }> {
  const [{ manifest: county }] = release.counties;
  const index = await release.index(county);
  const ordinals = Array.from(index.geoids.keys());
  const routable = ordinals.filter((ordinal) => index.isRoutable(ordinal));
  const unroutable = ordinals.filter((ordinal) => !index.isRoutable(ordinal));
  const middle = routable[Math.floor(routable.length / 2)];
  const geoidOf = (ordinal: number) => geoidFromNumber(index.geoids[ordinal]);
  const block = {
    geoid: geoidOf(middle),
    lon: index.lon[middle] / MICRO,
    lat: index.lat[middle] / MICRO,
  };
  const { matrix, table } = await release.catchments(county);
  const places = (
    await Promise.all(Object.values(release.manifest.states).map((state) => release.places(state)))
  ).flatMap((state) => state.places);
  const geoids = [...spread(routable, SOME), ...spread(unroutable, 2)].map(geoidOf);
  const destIds = spread(Array.from(matrix.origins), SOME);
  const names = spread(Array.from(Array(table.count).keys()), SOME).map((i) => table.facts(i).name);
  return {
    marks: {
      version: release.version,
      block,
      water: { geoid: geoidOf(unroutable[0] ?? middle) },
      poi: { dest_id: destIds[0] },
      place: places[0],
    },
    pools: {
      geoid: geoids,
      origins: geoids,
      dest_id: destIds,
      dest_ids: destIds,
      block: [...geoids, ...geoids.map(Number)],
      place: places.map(({ geoid }) => geoid),
      type: [100, 101, 310, 601, 1001],
      radius_m: [1, 300, 2000, 50_000],
      max_minutes: [1, 5, 12.5, 30],
      minutes: [1, 15, 30, 60],
      limit: [1, 7, 40, 1000],
      contours: ['10', '10,20,30', '20,10', '5,10,15,20,25'],
      q: ['a', 'Park', 'é', '%', '_', ...names, ...places.map(({ name }) => name)],
      v: [release.version, 'another'],
      // Ends of trips, or releases that are compared.
      from: [...geoids.slice(0, 4), ...geoids.map(() => release.version)],
      to: [...geoids.slice(0, 4), ...geoids.map(() => release.version)],
      // Valid cursors come from responses.
      cursor: [],
      mode: ['walk', 'bike', 'transit'],
      dest_type_id: [101, 601, 65_535],
      nth: [1, 2, 5],
      weight: ['people'],
      fips: [block.geoid.slice(0, 5)],
      counties: [block.geoid.slice(0, 5)],
      places: places.map(({ geoid }) => geoid),
      blocks: geoids,
      id: Array.from({ length: 40 }, (_, i) => `site ${i}`),
      ...areas(
        geoids,
        places.map(({ geoid }) => geoid),
      ),
      ...tilesAt(block.lon, block.lat),
      ...placesAround(block.lon, block.lat),
    },
  };
}

/** Points, boxes and areas near a point, most of which contain something. */
function placesAround(lon: Degrees, lat: Degrees): Pools {
  const steps = Array.from({ length: PLACES_ON_THE_WAY }, (_, i) => i / 2000);
  const boxes = HALF_SIDES.map((half) => [lon - half, lat - half, lon + half, lat + half]);
  const rings = boxes.map(([west, south, east, north]) => {
    const [southWest, northEast] = [
      [west, south],
      [east, north],
    ];
    return [southWest, [east, south], northEast, [west, north], southWest];
  });
  return {
    lon: steps.map((step) => lon + step),
    lat: steps.map((step) => lat + step),
    bbox: [...boxes.map((box) => box.join()), '-70,36,-70,36', '179,-1,-179,1'],
    polygon: [
      ...rings.map((ring) => ({ type: 'Polygon', coordinates: [ring] })),
      { type: 'Polygon', coordinates: [rings[1], rings[0]] },
      { type: 'Polygon', coordinates: [rings[0], rings[1]] },
      { type: 'MultiPolygon', coordinates: [[rings[0]]] },
    ],
  };
}

/** Areas of blocks, of places, of a county, of places and blocks, and one without members. */
function areas(geoids: readonly string[], places: readonly string[]): Pools {
  return {
    area: [
      { blocks: geoids },
      { places: places.slice(0, 2) },
      { counties: [geoids[0].slice(0, 5)] },
      { places: places.slice(0, 1), blocks: geoids },
      {},
    ],
  };
}

const ZOOM = 12;

/** The tile over a point, and its neighbours. */
function tilesAt(lon: Degrees, lat: Degrees): Pools {
  const latitude = (lat * Math.PI) / 180;
  const x = Math.floor(((lon + 180) / 360) * 2 ** ZOOM);
  const y = Math.floor(((1 - Math.asinh(Math.tan(latitude)) / Math.PI) / 2) * 2 ** ZOOM);
  return { z: [ZOOM], x: [x - 1, x, x, x + 1], y: [y - 1, y, y, y + 1] };
}

/** Up to `count` items of a list, evenly spaced over all of it. */
function spread<T>(list: readonly T[], count: number): T[] {
  const stride = Math.max(1, Math.ceil(list.length / count));
  return list.filter((_, i) => i % stride === 0);
}
