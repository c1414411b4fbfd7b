import { Random } from '../../infra/demo/seeded-random.ts';
import type { Endpoint } from '../../proxy/endpoint.ts';
import { ENDPOINTS } from '../../proxy/endpoints/index.ts';
import { type ExampleRequest, ExampleResponses } from '../../proxy/openapi/example-responses.ts';
import type { ProxyServices } from '../../proxy/services.ts';
import { Turns } from '../../shards/concurrency/turns.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release/release.ts';
import { MICRO, type Millis } from '../../shards/units.ts';
import { CountingStore } from '../support/counting-store.ts';
import { releaseIn } from '../support/release-in.ts';
import type { Built } from './built.ts';
import { figure, median } from './figure.ts';
import { type Place, placesIn } from './places.ts';

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
/** The longest that one request may hold up others. */
const WANTED_HELD_MS = 4;

/** Requests of one kind, and how much time one may take. */
interface Case {
  /** Target for the mean processor time of a request. */
  readonly wantedMs: number;
  readonly operationId: string;
  readonly requests: readonly ExampleRequest[];
}

/**
 * Measures opportunities, sums over places, drawn areas and baskets, and a caller's own sites.
 * Requests are validated, computed and rendered one after the other, without HTTP and ledger, with
 * the heads of objects in memory and their rows in the disk cache. Also measures how long requests
 * hold the event loop, and how many ranges a place takes once the heads are in memory.
 */
export async function benchCoverage({ store, release, places, place }: Built): Promise<void> {
  const responses = new ExampleResponses({ config: {} } as ProxyServices, release);
  const about = {
    place,
    blocks: release.counties.reduce((n, { manifest }) => n + manifest.blocks, 0),
  };
  const ranges = await rangesOfPlace(store, places);
  figure('coverage.place.ranges_read', ranges, 'reads', { wanted: 1, ...about });
  for (const [name, { wantedMs, operationId, requests }] of Object.entries(
    await casesOf(release, places),
  )) {
    const endpoint = endpointOf(operationId);
    const ask = repeated(responses, endpoint, requests);
    for (let i = 0; i < requests.length; i++) await ask();
    const { elapsed, mean } = await timed(ask);
    figure(`coverage.${name}`, mean, 'ms', {
      wanted_ms: wantedMs,
      elapsed_ms: median(elapsed),
      requests: elapsed.length,
      ...about,
    });
    const held = await turnsDuring(ask);
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
    placesIn(release, places).then((geoids) =>
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
      requests: [{ body: { area: { counties }, mode: ['walk'], type: [101], all_of: CRITERIA } }],
    },
    sites_250: ofSites(100, 250),
    sites_1000: ofSites(400, 1_000),
  };
}

function endpointOf(operationId: string): Endpoint {
  return ENDPOINTS.find((one) => one.operationId === operationId)!;
}

/**
 * Counts the ranges that are read for the sums of one type over a place after those of another
 * type, on a separately opened release.
 */
async function rangesOfPlace(folder: string, places: readonly Place[]): Promise<number> {
  const store = new CountingStore(folder);
  const release = await releaseIn(store);
  const responses = new ExampleResponses({ config: {} } as ProxyServices, release);
  const [geoid] = await placesIn(release, places);
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

/** A function that sends the next of some requests, round after round. */
function repeated(
  responses: ExampleResponses,
  endpoint: Endpoint,
  requests: readonly ExampleRequest[],
): () => Promise<unknown> {
  let next = 0;
  return () => responses.json(endpoint, requests[next++ % requests.length]);
}

/**
 * Sends requests for some seconds; returns the elapsed time of each, and their mean processor time.
 */
async function timed(ask: () => Promise<unknown>): Promise<{ elapsed: Millis[]; mean: Millis }> {
  const elapsed: Millis[] = [];
  const end = performance.now() + SECONDS * 1000;
  const before = processorMs();
  while (performance.now() < end) {
    const begun = performance.now();
    await ask();
    elapsed.push(performance.now() - begun);
  }
  return { elapsed, mean: (processorMs() - before) / elapsed.length };
}

/**
 * Sends requests for some seconds, each in a turn of its own; returns how long each turn of the
 * event loop was held, ascending. A turn counts with its elapsed or its processor time, whichever
 * is less: a busy machine makes the process wait, and other threads use the processor too. This is
 * separate from `timed`, since a loop that never rests uses processor time of its own.
 */
async function turnsDuring(ask: () => Promise<unknown>): Promise<Millis[]> {
  const turns: Millis[] = [];
  let isRunning = true;
  let [began, used] = [performance.now(), processorMs()];
  const turn = () => {
    const [now, usedNow] = [performance.now(), processorMs()];
    turns.push(Math.min(now - began, usedNow - used));
    [began, used] = [now, usedNow];
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  const end = began + SECONDS * 1000;
  while (performance.now() < end) {
    await new Promise(setImmediate);
    // The service does the same when it begins with a request.
    Turns.SHARED.yieldIfOverdue();
    await ask();
  }
  isRunning = false;
  return turns.sort((a, b) => a - b);
}

function processorMs(): Millis {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
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

/**
 * A circle around the median of some points, with `count` of them inside, or all if they are fewer.
 */
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
