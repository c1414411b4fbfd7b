import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ROUTING, rankOfPercentile } from '../../../builder/routing-parameters.ts';
import type { Position } from '../../../shards/geometry/polygon.ts';
import type { Minutes } from '../../../shards/units.ts';
import { ensureDebianPackage } from '../../support/debian.ts';
import { freePort } from '../../support/free-port.ts';

const run = promisify(execFile);
const VERSION = '2.8.1';
const LEAST_JAVA = 21;
const DEPARTURES = Array.from({ length: ROUTING.transit.departures }, (_, minute) => minute);

/** The settings of the builder, as far as OpenTripPlanner has them; all else is its own. */
const ROUTER = {
  routingDefaults: {
    walk: {
      speed: ROUTING.walkMetresPerSecond,
      reluctance: 1,
      boardCost: 0,
      safetyFactor: 0,
      stairsReluctance: 1,
    },
    waitReluctance: 1,
    turnReluctance: 0,
    boardSlack: `${ROUTING.transit.boardSlack / 1000}s`,
    alightSlack: '0s',
    transferSlack: '0s',
    maxDirectStreetDuration: '60m',
    accessEgress: { maxDuration: '30m', maxStopCount: 100_000 },
    itineraryFilters: { groupSimilarityKeepOne: 0, groupSimilarityKeepThree: 0 },
  },
};
const BUILD = {
  transitServiceStart: '2010-01-01',
  transitServiceEnd: '2035-01-01',
  maxTransferDuration: `${ROUTING.transit.maxTransferWalk / ROUTING.walkMetresPerSecond}s`,
};

/** Trips that begin up to an hour after the window may be those of riders who wait since then. */
const QUERY = `query ($from: InputCoordinates, $to: InputCoordinates, $date: String) {
  plan(from: $from, to: $to, date: $date, time: "08:00:00", searchWindow: 7200,
       numItineraries: 1000, transportModes: [{ mode: TRANSIT }, { mode: WALK }]) {
    itineraries { startTime endTime legs { mode } }
  }
}`;
const answerSchema = z.object({
  data: z.object({
    plan: z.object({
      itineraries: z.array(
        z.object({
          startTime: z.number(),
          endTime: z.number(),
          legs: z.array(z.object({ mode: z.string() })),
        }),
      ),
    }),
  }),
});
type Itinerary = z.infer<typeof answerSchema>['data']['plan']['itineraries'][number];

/** Minutes on foot and by transit, one row per origin; Infinity beyond an hour. */
export interface OtpMinutes {
  readonly walk: Minutes[][];
  readonly transit: Minutes[][];
}

/**
 * Computes times with OpenTripPlanner, which is installed from Maven Central into `cache` and runs
 * on any JDK of the machine that is new enough. `midnight`: that of the service day, in Unix
 * milliseconds by the clock of the stops.
 */
export async function otpTimes(
  { osm, gtfs, date, zone }: OtpInputs,
  origins: readonly Position[],
  targets: readonly Position[],
  { folder, cache }: { readonly folder: string; readonly cache: string },
): Promise<OtpMinutes> {
  const server = await serve(osm, gtfs, folder, cache);
  try {
    const opens = windowStart(date, zone);
    const walk: Minutes[][] = [];
    const transit: Minutes[][] = [];
    for (const from of origins) {
      const trips = [];
      for (const to of targets) trips.push(await server.ask(from, to, date));
      walk.push(trips.map(walkOf));
      transit.push(trips.map((found) => tripOf(found, opens)));
    }
    return { walk, transit };
  } finally {
    await server.stop();
  }
}

interface OtpInputs {
  readonly osm: string;
  readonly gtfs: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** The time zone of the feeds. */
  readonly zone: string;
}

async function serve(osm: string, gtfs: readonly string[], folder: string, cache: string) {
  const work = path.join(folder, 'otp');
  mkdirSync(work);
  copyFileSync(osm, path.join(work, 'map.osm.pbf'));
  for (const feed of gtfs) copyFileSync(feed, path.join(work, `gtfs-${path.basename(feed)}`));
  writeFileSync(path.join(work, 'build-config.json'), JSON.stringify(BUILD));
  writeFileSync(path.join(work, 'router-config.json'), JSON.stringify(ROUTER));
  const jar = path.join(cache, `otp-shaded-${VERSION}.jar`);
  if (!existsSync(jar)) {
    await ensureDebianPackage('maven', 'mvn');
    const artifact = `-Dartifact=org.opentripplanner:otp-shaded:${VERSION}`;
    await run('mvn', ['-B', '-q', 'dependency:copy', artifact, `-DoutputDirectory=${cache}`]);
  }
  const port = await freePort();
  const own = ['-Xmx4g', '-jar', jar, '--build', '--serve', '--port', `${port}`, work];
  const child = spawn(await newEnoughJava(), own, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    const lines = createInterface(child.stdout);
    lines.on('line', (line) => line.includes('Grizzly server running') && resolve());
    child.on('exit', (code) => reject(new Error(`OpenTripPlanner ended with code ${code}`)));
  });
  const ask = async ([lon, lat]: Position, [toLon, toLat]: Position, date: string) => {
    const variables = { from: { lon, lat }, to: { lon: toLon, lat: toLat }, date };
    const response = await fetch(`http://127.0.0.1:${port}/otp/gtfs/v1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: QUERY, variables }),
    });
    return answerSchema.parse(await response.json()).data.plan.itineraries;
  };
  const stop = async () => {
    child.kill();
    await exit;
  };
  return { ask, stop };
}

async function newEnoughJava(): Promise<string> {
  const homes = '/usr/lib/jvm';
  const kept = existsSync(homes) ? readdirSync(homes) : [];
  const javas = kept.map((home) => path.join(homes, home, 'bin/java')).filter(existsSync);
  for (const java of ['java', ...javas]) {
    const found = await run(java, ['-version']).catch(() => null);
    if (Number(/version "(\d+)/.exec(found?.stderr ?? '')?.[1]) >= LEAST_JAVA) return java;
  }
  throw new Error(`OpenTripPlanner needs Java ${LEAST_JAVA} or later in ${homes}`);
}

function windowStart(date: string, zone: string): number {
  const utc = Date.parse(`${date}T08:00:00Z`);
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return 2 * utc - Date.parse(`${clock.format(utc).replace(' ', 'T')}Z`);
}

function walkOf(found: readonly Itinerary[]): Minutes {
  const walks = found.filter(({ legs }) => legs.every(({ mode }) => mode === 'WALK'));
  return Math.min(...walks.map(({ startTime, endTime }) => (endTime - startTime) / 60_000));
}

/** The percentile of the window's departures, each by the trip that arrives first. */
function tripOf(found: readonly Itinerary[], opens: number): Minutes {
  const walk = walkOf(found);
  const times = DEPARTURES.map((minute) => {
    const leaves = opens + 60_000 * minute;
    const later = found.filter(({ startTime }) => startTime >= leaves);
    return Math.min(walk, ...later.map(({ endTime }) => (endTime - leaves) / 60_000));
  });
  return times.sort((a, b) => a - b)[
    rankOfPercentile(ROUTING.transit.percentile, times.length) - 1
  ];
}
