import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { benchAccuracy } from './accuracy.ts';
import { benchAgainstPostgis } from './against-postgis.ts';
import { benchAgainstTileserver } from './against-tileserver.ts';
import { benchBatches } from './batches.ts';
import { benchBuild } from './build.ts';
import { benchEngines } from './engines.ts';
import { benchFleet } from './fleet.ts';
import { benchFlips } from './flips.ts';
import { benchFuzz } from './fuzz.ts';
import { benchHostile } from './hostile.ts';
import { type BenchInputs, benchInputs, largeCity, metropolis } from './inputs.ts';
import { benchIsochrones, benchLargeIsochrones, WALK_30 } from './isochrones.ts';
import { benchLedger } from './ledger.ts';
import { benchLoop } from './loop.ts';
import { readPlaces } from './places.ts';
import { benchRouting } from './routing.ts';
import { benchServing } from './serving.ts';
import { benchSoak } from './soak.ts';
import { benchStores } from './stores.ts';
import { benchTransitRouting } from './transit-routing.ts';

/** What is measured on a release that is built first. */
type ServedPart = (store: string, inputs: BenchInputs, folder: string) => Promise<void>;

const SERVED: Readonly<Record<string, ServedPart>> = {
  serving: (store, _inputs, folder) => benchServing(store, folder),
  ledger: (store, _inputs, folder) => benchLedger(store, folder),
  isochrones: (store, { place }, folder) => benchIsochrones(store, place, [WALK_30], folder),
  batches: async (store, { places }, folder) =>
    benchBatches(store, await readPlaces(places), folder),
  loop: (store, { place }, folder) => benchLoop(store, place, folder),
  soak: async (store, { places }, folder) => benchSoak(store, await readPlaces(places), folder),
  fuzz: (store, _inputs, folder) => benchFuzz(store, folder),
  hostile: (store, _inputs, folder) => benchHostile(store, folder),
  postgis: async (store, { places }, folder) =>
    benchAgainstPostgis(store, await readPlaces(places), folder),
  fleet: async (store, { places }, folder) => benchFleet(store, await readPlaces(places), folder),
  stores: (store, _inputs, folder) => benchStores(store, folder),
  tileserver: (store, _inputs, folder) => benchAgainstTileserver(store, folder),
};
const UNSERVED = ['routing', 'accuracy', 'transit', 'flips', 'city', 'metropolis'];
const PARTS = [...UNSERVED, 'build', ...Object.keys(SERVED)];
/** Runs when it is asked for: it installs some hundred megabytes from registries. */
const ENGINES = 'engines';

/**
 * `npm run bench [-- PART…]`: every claim about speed, size and accuracy, a line of JSON each, measured in one
 * run; by default all parts but the engines of others.
 */
const asked = process.argv.length > 2 ? process.argv.slice(2) : PARTS;
const unknown = asked.filter((part) => ![...PARTS, ENGINES].includes(part));
if (unknown.length > 0) {
  throw new Error(
    `no such part: ${unknown.join(', ')}; there are ${[...PARTS, ENGINES].join(', ')}`,
  );
}
const folder = await mkdtemp(path.join(tmpdir(), 'tta-bench-'));
try {
  const inputs = await benchInputs(folder);
  if (asked.includes('routing')) await benchRouting(inputs);
  if (asked.includes('accuracy')) await benchAccuracy(inputs);
  if (asked.includes('transit')) await benchTransitRouting(inputs);
  if (asked.includes('flips')) await benchFlips(folder);
  if (asked.includes(ENGINES)) await benchEngines(inputs, folder);
  if (asked.some((part) => ![...UNSERVED, ENGINES].includes(part))) {
    const store = await benchBuild(inputs, folder);
    for (const [part, bench] of Object.entries(SERVED)) {
      if (asked.includes(part)) await bench(store, inputs, folder);
    }
  }
  if (asked.includes('metropolis')) await benchTransitRouting(await metropolis(folder));
  if (asked.includes('city')) {
    const city = await largeCity(folder);
    await benchTransitRouting(city);
    await benchLargeIsochrones(city, folder);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
