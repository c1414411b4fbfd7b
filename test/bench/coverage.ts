import { Random } from '../../infra/demo/seeded-random.ts';
import type { Endpoint } from '../../proxy/endpoint.ts';
import { ENDPOINTS } from '../../proxy/endpoints/index.ts';
import { type ExampleRequest, ExampleResponses } from '../../proxy/openapi/example-responses.ts';
import type { ProxyServices } from '../../proxy/services.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release/release.ts';
import { MICRO } from '../../shards/units.ts';
import { CountingStore } from '../support/counting-store.ts';
import { releaseIn } from '../support/release-in.ts';
import type { Built } from './built.ts';
import { figure, median } from './figure.ts';
import type { Place } from './places.ts';

const SECONDS = 3;
const SEED = 20_261_124;
/** Different requests about sites. */
const REQUESTS = 8;
const DRAWN_BLOCKS = 5_000;
const RING_CORNERS = 60;
const MINUTES = [15, 30, 45, 60];
const CRITERIA = [
  { type: 101, mode: 'walk', max_minutes: 15, nth: 1 },
  { type: 510, mode: 'walk', max_minutes: 10, nth: 1 },
  { type: 401, mode: 'transit', max_minutes: 30, nth: 1 },
];
/** Origins of opportunities. */
const ORIGINS = 200;
/** The longest that other requests may wait for one. */
const WANTED_HELD_MS = 4;

/** Requests of one kind, and how long one may take. */
interface Case {
  /** Median elapsed time; of processor time where `isOfProcessor`. */
  readonly wantedMs: number;
  readonly isOfProcessor?: boolean;
  readonly operationId: string;
  readonly requests: readonly ExampleRequest[];
}

/**
 * Opportunities, sums over places, drawn areas and baskets, and sites of one's own: validated,
 * computed and rendered one after the other, without HTTP and ledger, with the heads of objects in
 * memory and their rows in the disk cache. Also measures how long they hold the event loop, and how
 * many ranges a place takes once the heads are in memory.
 */
export async function benchCoverage({ store, release, places, place }: Built): Promise<void> {
  const responses = new ExampleResponses({ config: {} } as ProxyServices, release);
  const about = {
    place,
    blocks: release.counties.reduce((n, { manifest }) => n + manifest.blocks, 0),
  };
  const ranges = await rangesOfPlace(store, places);
  figure('coverage.place.ranges_read', ranges, 'reads', { wanted: 1, ...about });
  for (const [name, { wantedMs, isOfProcessor, operationId, requests }] of Object.entries(
    await casesOf(release, places),
  )) {
    const endpoint = endpointOf(operationId);
    const { ms, held, cpuMs } = await measure(responses, endpoint, requests);
    figure(`coverage.${name}`, isOfProcessor ? cpuMs : median(ms), 'ms', {
      wanted_ms: wantedMs,
      elapsed_ms: median(ms),
      processor_ms: cpuMs,
      requests: ms.length,
      ...about,
    });
    held.sort((a, b) => a - b);
    const p99 = held[Math.floor(held.length * 0.99)];
    figure(`coverage.${name}.loop_held`, p99, 'ms', {
      wanted_ms: WANTED_HELD_MS,
      max_ms: held.at(-1),
      ...about,
    });
  }
}

async function casesOf(
  release: Release,
  places: readonly Place[],
): Promise<Readonly<Record<string, Case>>> {
  const centres = await centresOf(release);
  const random = new Random(SEED);
  const counties = Object.keys(release.manifest.counties).slice(0, 20);
  const ofPlaces = (cells: object) =>
    placesOf(release, places).then((geoids) =>
      geoids.map((geoid) => ({ parameters: { geoid, ...cells } })),
    );
  const polygon = { type: 'Polygon', coordinates: [ringAround(centres, DRAWN_BLOCKS)] };
  const ofSites = (wantedMs: number, count: number): Case => ({
    wantedMs,
    operationId: 'measureSites',
    requests: Array.from({ length: REQUESTS }, () => {
      const sites = random.shuffle([...centres]).slice(0, count);
      const named = sites.map((at, id) => ({ id, ...at }));
      return { body: { sites: named, area: { counties }, mode: 'walk', minutes: MINUTES } };
    }),
  });
  const cells = { mode: ['walk'], type: [101] };
  const blocks = random.shuffle(await routableBlocks(release)).slice(0, ORIGINS);
  const opportunities = (mode: string): Case => ({
    wantedMs: 0.5,
    isOfProcessor: true,
    operationId: 'getBlockAccess',
    requests: blocks.map((geoid) => ({ parameters: { geoid, mode: [mode] } })),
  });
  const ofModes = release.manifest.modes.map(
    (mode) => [`opportunities_${mode}`, opportunities(mode)] as const,
  );
  return {
    ...Object.fromEntries(ofModes),
    place: { wantedMs: 1, operationId: 'getPlaceCoverage', requests: await ofPlaces(cells) },
    place_all_types: {
      wantedMs: 50,
      operationId: 'getPlaceCoverage',
      requests: await ofPlaces({}),
    },
    drawn_5000_blocks: {
      wantedMs: 15,
      operationId: 'measureCoverage',
      requests: [{ body: { area: { polygon }, ...cells } }],
    },
    basket: {
      wantedMs: 15,
      operationId: 'measureCoverage',
      requests: [{ body: { area: { counties }, all_of: CRITERIA } }],
    },
    sites_250: ofSites(100, 250),
    sites_1000: ofSites(400, 1_000),
  };
}

function endpointOf(operationId: string): Endpoint {
  return ENDPOINTS.find((one) => one.operationId === operationId)!;
}

/** Ranges read for the sums of one type over a place after those of another, on a release of its own. */
async function rangesOfPlace(folder: string, places: readonly Place[]): Promise<number> {
  const store = new CountingStore(folder);
  const release = await releaseIn(store);
  const responses = new ExampleResponses({ config: {} } as ProxyServices, release);
  const [geoid] = await placesOf(release, places);
  const ask = (type: number) =>
    responses.json(endpointOf('getPlaceCoverage'), {
      parameters: { geoid, mode: ['walk'], type: [type] },
    });
  await ask(101);
  store.reads = [];
  await ask(601);
  const { length } = store.reads;
  await store.close();
  return length;
}

async function routableBlocks(release: Release): Promise<string[]> {
  const all = await Promise.all(
    release.counties.map(async ({ manifest }) => {
      const index = await release.index(manifest);
      return Array.from(index.geoids.keys())
        .filter((i) => index.isRoutable(i))
        .map((i) => geoidFromNumber(index.geoids[i]));
    }),
  );
  return all.flat();
}

/**
 * Runs requests in turn for some seconds; returns the time of each and of each turn of the loop, and
 * the mean processor time.
 */
async function measure(
  responses: ExampleResponses,
  endpoint: Endpoint,
  requests: readonly ExampleRequest[],
): Promise<{ ms: number[]; held: number[]; cpuMs: number }> {
  for (const request of requests) await responses.json(endpoint, request);
  const [ms, held]: [number[], number[]] = [[], []];
  let isRunning = true;
  let turned = performance.now();
  const turn = () => {
    const now = performance.now();
    held.push(now - turned);
    turned = now;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  const end = performance.now() + SECONDS * 1000;
  const before = process.cpuUsage();
  for (let i = 0; performance.now() < end; i++) {
    const begun = performance.now();
    await responses.json(endpoint, requests[i % requests.length]);
    ms.push(performance.now() - begun);
  }
  const { user, system } = process.cpuUsage(before);
  isRunning = false;
  return { ms, held, cpuMs: (user + system) / 1000 / ms.length };
}

interface Centre {
  readonly lon: number;
  readonly lat: number;
}

async function centresOf(release: Release): Promise<Centre[]> {
  const centres: Centre[] = [];
  for (const { manifest } of release.counties) {
    const index = await release.index(manifest);
    for (let i = 0; i < index.count; i++) {
      centres.push({ lon: index.lon[i] / MICRO, lat: index.lat[i] / MICRO });
    }
  }
  return centres;
}

/** The census places that the release has. */
async function placesOf(release: Release, places: readonly Place[]): Promise<string[]> {
  const tables = await Promise.all(
    Object.values(release.manifest.states).map((state) => release.places(state)),
  );
  return places
    .map(({ geoid }) => geoid)
    .filter((geoid) => tables.some((table) => table.ordinalOf(geoid) !== -1));
}

/** A circle around the middle of some points, with so many of them inside, as far as there are. */
function ringAround(centres: readonly Centre[], count: number): [number, number][] {
  const lon = median(centres.map((at) => at.lon));
  const lat = median(centres.map((at) => at.lat));
  const east = Math.cos((lat * Math.PI) / 180);
  const away = centres.map((at) => Math.hypot((at.lon - lon) * east, at.lat - lat));
  const radius = away.sort((a, b) => a - b)[Math.min(count, away.length - 1)];
  const ring = Array.from({ length: RING_CORNERS }, (_, i): [number, number] => {
    const angle = (2 * Math.PI * i) / RING_CORNERS;
    return [lon + (radius / east) * Math.cos(angle), lat + radius * Math.sin(angle)];
  });
  return [...ring, ring[0]];
}
