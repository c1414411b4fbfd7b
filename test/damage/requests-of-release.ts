import type { Random } from '../../infra/demo/seeded-random.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release/release.ts';
import { MICRO } from '../../shards/units.ts';

/** A request that a release answers with 200 or 204. */
export interface DamageRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: object;
  /** Whether the request needs no key. */
  readonly isFree: boolean;
}

/** The number of blocks and POIs per county to request, and of archives to request tiles from. */
export interface Spread {
  readonly blocks: number;
  readonly pois: number;
  readonly archives: number;
}

/** Requests about the release itself, which read no objects. */
export const CATALOGUE: readonly string[] = [
  '/v1/last-updated',
  '/v1/meta/modes',
  '/v1/meta/destination-types',
  '/v1/meta/vintage',
  '/v1/meta/weights',
  '/v1/isochrone/meta',
  '/v1/meta/block-bands',
];

const TILES_PER_ARCHIVE = 12;

/**
 * Requests of every route that reads objects, spread over the whole release. No response has a
 * further page, since a repeated request must return the same bytes.
 */
export async function requestsOf(
  release: Release,
  random: Random,
  spread: Spread,
): Promise<DamageRequest[]> {
  const requests: DamageRequest[] = [];
  const free = (url: string) => requests.push({ method: 'GET', url, isFree: true });
  const get = (url: string) => requests.push({ method: 'GET', url, isFree: false });
  const post = (url: string, body: object) =>
    requests.push({ method: 'POST', url, body, isFree: false });

  for (const url of CATALOGUE) free(url);

  const centres: { lon: number; lat: number }[] = [];
  for (const { fips, manifest: county } of release.counties) {
    get(`/v1/counties/${fips}/coverage`);
    const counted = ['people', 'jobs', 'jobs_low_wage', 'jobs_mid_wage', 'jobs_high_wage'];
    const of = counted.map((weight) => `of=${weight}`).join('&');
    for (const way of ['from', 'to']) {
      get(`/v1/counties/${fips}/access?${of}&direction=${way}&by=tract`);
    }
    get(`/v1/counties/${fips}/coverage?type=101&weight=jobs&by=hispanic&by=workers_low_wage`);
    const index = await release.index(county);
    const { table, matrix } = await release.catchments(county);
    const ordinals = Array.from(index.geoids.keys()).filter((i) => index.isRoutable(i));
    for (const ordinal of random.shuffle(ordinals).slice(0, spread.blocks)) {
      const geoid = geoidFromNumber(index.geoids[ordinal]);
      const lon = index.lon[ordinal] / MICRO;
      const lat = index.lat[ordinal] / MICRO;
      centres.push({ lon, lat });
      get(`/v1/blocks/${geoid}/summary`);
      if (random.chance(0.2)) get(`/v1/blocks/${geoid}/summary?nth=2&count_within=9`);
      get(`/v1/blocks/${geoid}/pois?mode=walk&limit=1000`);
      get(`/v1/point/summary?lon=${lon}&lat=${lat}`);
      for (let trips = 0; trips < 3; trips++) {
        const to = geoidFromNumber(index.geoids[random.below(index.count)]);
        get(`/v1/blocks/${geoid}/explain?to=${to}`);
        const poi = matrix.origins[random.below(matrix.origins.length)];
        get(`/v1/blocks/${geoid}/explain?dest_id=${poi}`);
      }
      get(`/v1/blocks/${geoid}/access?of=jobs&of=households&of=type:101&direction=from`);
      get(`/v1/blocks/${geoid}/access?of=asian&of=people&direction=to&mode=walk`);
      if (random.chance(0.2)) {
        post('/v1/access', { origins: [geoid], of: ['people', 'workers', 'type:601'] });
        post('/v1/access', { origins: [{ lat, lon }], direction: 'to', mode: ['bike'] });
      }
      for (const direction of ['from', 'to']) {
        const origin = `block=${geoid}&direction=${direction}&mode=transit`;
        get(`/v1/isochrone?${origin}&minutes=60&format=blocks`);
      }
      if (random.chance(0.2)) get(`/v1/isochrone?block=${geoid}&contours=10,20&mode=bike`);
      if (random.chance(0.2)) {
        const area = { center: { lon, lat }, radius_m: 500, mode: ['walk'], type: [101] };
        post('/v1/blocks/query', { ...area, limit: 1000 });
        post('/v1/blocks/query', { ...area, nth: [1, 3], count_within: 9, limit: 1000 });
      }
      if (random.chance(0.3)) {
        const area = { center: { lon, lat }, radius_m: 400 };
        const all_of = [{ type: 101, mode: 'walk', max_minutes: 20, nth: 1 + random.below(5) }];
        const near = [{ lon, lat, mode: 'bike', max_minutes: 20 }];
        const sites = [{ id: geoid, lon, lat }];
        post('/v1/coverage', { area, type: [300], nth: 1 + random.below(5), all_of });
        post('/v1/blocks/match', { area, all_of, near, limit: 1000 });
        post('/v1/sites/coverage', { area, sites, mode: 'walk' });
      }
    }
    for (const ordinal of random.shuffle(Array.from(matrix.origins.keys())).slice(0, spread.pois)) {
      const destId = matrix.origins[ordinal];
      const { lon, lat } = table.facts(ordinal);
      get(`/v1/pois/${destId}`);
      get(`/v1/pois/${destId}/catchment?mode=walk&limit=1000`);
      get(`/v1/pois?lon=${lon}&lat=${lat}&radius_m=60&limit=1000`);
    }
  }

  for (const state of Object.values(release.manifest.states)) {
    const { places } = await release.places(state);
    for (const { geoid, name } of places) {
      free(`/v1/places?q=${encodeURIComponent(name)}`);
      free(`/v1/places/${geoid}/boundary`);
    }
    // The rows of the smallest places fit on one page.
    const small = [...places].sort((a, b) => a.population - b.population).slice(0, 3);
    for (const { geoid } of small) {
      get(`/v1/places/${geoid}/blocks?mode=walk&type=101&limit=1000`);
      get(`/v1/places/${geoid}/pois?type=101&limit=1000`);
      get(`/v1/places/${geoid}/coverage?nth=3&type=100`);
    }
  }

  const directory = await release.addressDirectory();
  for (const { fips, manifest } of release.counties) {
    const { addresses } = manifest.objects;
    if (!directory || !addresses) continue;
    const { streets } = await release.addresses(addresses, directory.headBytes.get(fips)!);
    for (const { label, lowest } of random.shuffle([...streets]).slice(0, spread.blocks)) {
      free(`/v1/addresses?q=${encodeURIComponent(`${lowest} ${label}`)}`);
    }
  }

  for (const { manifest } of release.counties) {
    if (manifest.block_bands) free(`/${manifest.block_bands.archive.name}`);
  }

  // Archives of a mode and a type: others, such as the base map, are read as whole archives.
  const archives = Object.keys(release.manifest.tiles).filter((name) =>
    /^(?!pois)\w+-\d+$/.test(name),
  );
  for (const name of random.shuffle(archives).slice(0, spread.archives)) {
    const url = `/v1/isochrone/tiles/${name.replace('-', '/')}`;
    free(`${url}.json`);
    for (let i = 0; i < TILES_PER_ARCHIVE; i++) {
      const { x, y, z } = tileAt(random.pick(centres), 6 + random.below(9));
      get(`${url}/${z}/${x}/${y}.mvt`);
    }
  }
  return requests;
}

function tileAt({ lon, lat }: { lon: number; lat: number }, z: number) {
  const y = Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI;
  return {
    z,
    x: Math.floor(((lon + 180) / 360) * 2 ** z),
    y: Math.floor(((1 - y) / 2) * 2 ** z),
  };
}
