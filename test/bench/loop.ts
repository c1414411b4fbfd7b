import path from 'node:path';
import { boxAroundBoth } from '../../shards/geometry/wgs84.ts';
import type { Release } from '../../shards/release/release.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Built } from './built.ts';
import { figure } from './figure.ts';
import { loadWatched } from './load-watched.ts';
import { openAccounts } from './service.ts';
import { someBlocks } from './targets.ts';
import type { Target } from './wrk.ts';

const ORIGINS = 250;
const VERTICES = 2_000;
const SECONDS = 3;
/** The longest that unpaid and paid requests may hold the event loop. */
const [WANTED_UNPAID_MS, WANTED_PAID_MS] = [20, 50];

/** Measures how long each kind of large request holds the event loop, with one client. */
export async function benchLoop({ store, release, place, folder }: Built): Promise<void> {
  const ledger = path.join(folder, 'loop-ledger');
  const [key] = await openAccounts(ledger, 1);
  for (const [kind, { target, isPaid }] of Object.entries(await kindsOf(release, key))) {
    const { held, p50, requests } = await loadWatched(store, ledger, [target], SECONDS);
    const wanted_ms = isPaid ? WANTED_PAID_MS : WANTED_UNPAID_MS;
    const about = { p999_ms: held.p999, wanted_ms, response_p50_ms: p50, requests, place };
    figure(`loop_held.${kind}`, held.max, 'ms', about);
  }
}

async function kindsOf(release: Release, key: string) {
  const blocks = (await someBlocks(release, Infinity)).sort();
  const near = blocks.slice(blocks.length / 2, blocks.length / 2 + ORIGINS);
  const { matrix } = await release.catchments(release.counties[0].manifest);
  const box = release.counties.map(({ blockBox }) => blockBox).reduce(boxAroundBoth);
  const bbox = [box.minLon, box.minLat, box.maxLon, box.maxLat].join();
  const get = (url: string, isPaid = true) => ({ target: { path: url, key }, isPaid });
  const post = (url: string, body: object) => {
    const target: Target = { path: url, key, body: JSON.stringify(body) };
    return { target, isPaid: true };
  };
  return {
    place_search: get('/v1/places?q=no-such-place', false),
    drawn_area: post('/v1/blocks/query', {
      polygon: { type: 'Polygon', coordinates: [comb(box, VERTICES)] },
      limit: 1000,
    }),
    batch_pois: post('/v1/blocks/pois', { origins: near }),
    batch_summaries: post('/v1/blocks/summary', { origins: near }),
    batch_catchments: post('/v1/pois/catchment', {
      dest_ids: Array.from(matrix.origins.slice(0, ORIGINS)),
    }),
    search_rare_name: get(`/v1/pois?bbox=${bbox}&q=no-such-name`),
    isochrone_contours: get(`/v1/isochrone?block=${near[0]}&mode=bike&contours=15,30,45,60`),
    isochrone_blocks: get(`/v1/isochrone?block=${near[0]}&mode=bike&minutes=60&format=blocks`),
  };
}

/** A comb whose teeth reach from south to north of a box, so that every latitude meets them all. */
function comb({ minLon, minLat, maxLon, maxLat }: BoundingBox, vertices: number): number[][] {
  const width = (maxLon - minLon) / vertices;
  const low = minLat + (maxLat - minLat) / 1000;
  const teeth = Array.from({ length: vertices - 2 }, (_, i) => {
    return [minLon + i * width, i % 2 === 0 ? low : maxLat];
  });
  return [...teeth, [maxLon, maxLat], [maxLon, minLat], teeth[0]];
}
