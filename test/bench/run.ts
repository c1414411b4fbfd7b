import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { benchAccuracy } from './accuracy.ts';
import { benchAddresses } from './addresses.ts';
import { benchAgainstPostgis } from './against-postgis.ts';
import { benchBuild, benchDemo, benchRebuild } from './build.ts';
import { type Built, withBuilt } from './built.ts';
import { benchCoverage } from './coverage.ts';
import { benchEngines } from './engines.ts';
import { benchExports } from './exports.ts';
import { benchFlips } from './flips.ts';
import { benchFuzz } from './fuzz.ts';
import { benchGrowth } from './growth.ts';
import { benchHostile } from './hostile.ts';
import { baltimore, metropolis } from './inputs.ts';
import { benchIsochrones } from './isochrones.ts';
import { benchLedger } from './ledger.ts';
import { benchLoop } from './loop.ts';
import { benchMap } from './map.ts';
import { benchNation } from './nation.ts';
import { benchNationalManifest } from './national-manifest.ts';
import { benchNationalSchedule } from './national-schedule.ts';
import { benchPreparation } from './preparation.ts';
import { benchRouting } from './routing.ts';
import { benchScale } from './scale.ts';
import { benchServing } from './serving.ts';
import { benchTransitRouting } from './transit-routing.ts';
import { benchWeekly } from './weekly.ts';

/** Benchmarks on a release that is built first. */
const SERVED: Readonly<Record<string, (built: Built) => Promise<void>>> = {
  serving: benchServing,
  ledger: benchLedger,
  coverage: benchCoverage,
  loop: benchLoop,
  map: benchMap,
  isochrones: benchIsochrones,
  fuzz: benchFuzz,
  hostile: benchHostile,
  postgis: benchAgainstPostgis,
  manifest: benchNationalManifest,
  exports: benchExports,
};
const UNSERVED = [
  'routing',
  'accuracy',
  'transit',
  'flips',
  'addresses',
  'demo',
  'rebuild',
  'preparation',
  'metropolis',
  'growth',
  'schedule',
];
const PARTS = [...UNSERVED, 'build', ...Object.keys(SERVED)];
/** Part that runs on request only: it installs some hundred megabytes, and writes tables. */
const ENGINES = 'engines';
/** Parts that run on request only, since they take long: made nations of so many blocks. */
const NATION = /^nation-(\d+)$/;
/** And so many made states, each an extract of 400 MB. */
const STATES = /^preparation-(\d+)$/;
/** Parts that write the tables of SCALE.md, with the blocks of the cities that they build. */
const SCALES: Readonly<Record<string, readonly number[]>> = {
  scale: [1_000, 10_000, 30_000],
  'scale-100000': [100_000],
};
/** A year of weekly refreshes. */
const WEEKLY = 'weekly';
const EXTRA = [ENGINES, WEEKLY, ...Object.keys(SCALES)];

/**
 * `npm run bench [-- PART…]` measures every claim about speed, size and accuracy in one run, and
 * prints a line of JSON for each. By default, it runs all parts except third-party engines,
 * nations, several states, a year of weeks, and those that write SCALE.md.
 */
const asked = process.argv.length > 2 ? process.argv.slice(2) : PARTS;
const nations = asked.flatMap((part) => NATION.exec(part)?.[1] ?? []).map(Number);
const states = asked.flatMap((part) => STATES.exec(part)?.[1] ?? []).map(Number);
const isCounted = (part: string) => NATION.test(part) || STATES.test(part);
const unknown = asked.filter((part) => ![...PARTS, ...EXTRA].includes(part) && !isCounted(part));
if (unknown.length > 0) {
  throw new Error(
    `no such part: ${unknown.join(', ')}; there are ${[...PARTS, ...EXTRA].join(', ')}, nation-BLOCKS, preparation-STATES`,
  );
}
const folder = await mkdtemp(path.join(tmpdir(), 'tta-bench-'));
try {
  const inputs = baltimore();
  if (asked.includes('routing')) await benchRouting(inputs);
  if (asked.includes('accuracy')) await benchAccuracy(inputs);
  if (asked.includes('transit')) await benchTransitRouting(inputs);
  if (asked.includes('flips')) await benchFlips(folder);
  if (asked.includes('addresses')) await benchAddresses();
  if (asked.includes('demo')) await benchDemo(folder);
  if (asked.includes('rebuild')) await benchRebuild(folder);
  if (asked.includes('preparation')) await benchPreparation(inputs, 1, folder);
  if (asked.includes(ENGINES)) await benchEngines(folder);
  if (asked.some((part) => ![...UNSERVED, ...EXTRA].includes(part) && !isCounted(part))) {
    await withBuilt(await benchBuild(inputs, folder), inputs, folder, async (built) => {
      for (const [part, bench] of Object.entries(SERVED)) {
        if (asked.includes(part)) await bench(built);
      }
    });
  }
  if (asked.includes('metropolis')) await benchTransitRouting(await metropolis(folder));
  if (asked.includes('growth')) await benchGrowth(folder);
  if (asked.includes('schedule')) await benchNationalSchedule();
  for (const blocks of nations) await benchNation(blocks, folder);
  for (const count of states) await benchPreparation(inputs, count, folder);
  for (const [part, sizes] of Object.entries(SCALES)) {
    if (asked.includes(part)) await benchScale(sizes, folder);
  }
  if (asked.includes(WEEKLY)) await benchWeekly(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
