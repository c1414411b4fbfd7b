import path from 'node:path';
import { datesOf } from '../../builder/plan/make-plan.ts';
import type { Region } from '../../builder/region/read-region.ts';
import type { GeoidNumber } from '../../shards/geoid.ts';
import type { Position } from '../../shards/geometry/polygon.ts';
import type { Minutes } from '../../shards/units.ts';
import { readFiles } from '../support/prepared-city.ts';
import { byRiding, pairsOf, printDifference } from './engines/difference.ts';
import { ourTimes, tiedAsByR5, walkedAsByR5, withoutStress } from './engines/our-times.ts';
import { type R5Mode, readR5Table } from './engines/r5.ts';

const OSM = 'porto-alegre.osm.pbf';
const BLOCKS = 'tl_2024_90001_tabblock20.zip';
const METRO = 'trensurb.zip';
/** Buses, with 96 % of times blank. */
const PUBLISHED = 'eptc-moved-to-the-morning.zip';
/** The same buses, with times filled in by straight distances, as R5 fills them in. */
const FILLED = 'eptc-moved-and-filled-by-distance.zip';
const R5_MINUTES = 'r5-7.6-minutes.csv.gz';
const ABOUT = { place: 'Porto Alegre', engine: 'R5 7.6' };
/** Minutes up to which pairs are compared. */
const CAPPED: Minutes = 30;

interface Comparison {
  readonly name: string;
  /** The feed of the buses. */
  readonly feed: string;
  /** Modes of R5, compared with ours by each set of rules. */
  readonly modes: readonly R5Mode[];
  readonly rules: Readonly<Record<string, (region: Region) => Region>>;
}

const asShipped = (region: Region) => region;

const COMPARISONS: readonly Comparison[] = [
  {
    name: 'feed_as_published',
    feed: PUBLISHED,
    modes: ['transit'],
    rules: { as_shipped: asShipped, walked_as_by_r5: walkedAsByR5 },
  },
  {
    name: 'feed_filled',
    feed: FILLED,
    modes: ['transit', 'walk'],
    rules: { as_shipped: asShipped, walked_as_by_r5: walkedAsByR5 },
  },
  {
    name: 'stress_3',
    feed: FILLED,
    modes: ['bike'],
    rules: { as_shipped: asShipped, tied_as_by_r5: tiedAsByR5 },
  },
  {
    name: 'any_stress',
    feed: FILLED,
    modes: ['bike-anywhere'],
    rules: {
      as_shipped: withoutStress,
      tied_as_by_r5: (region) => tiedAsByR5(withoutStress(region)),
    },
  },
];

/**
 * Compares our times with a table of R5 7.6 on the dense buses of Porto Alegre. The data is not in
 * the repository: the variable PORTO_ALEGRE names its folder. Without it, prints a note alone.
 */
export async function benchPortoAlegre(): Promise<void> {
  const folder = process.env.PORTO_ALEGRE;
  if (folder === undefined) {
    const files = [OSM, BLOCKS, METRO, PUBLISHED, FILLED, R5_MINUTES].join(', ');
    process.stderr.write(
      `Porto Alegre is left out: set PORTO_ALEGRE to the folder of its data (${files})\n`,
    );
    return;
  }
  const r5 = readR5Table(path.join(folder, R5_MINUTES));
  const isTrip = (from: number, to: number) => r5.origins[from] !== r5.targets[to];
  // R5 rounds minutes down.
  const theirs = (mode: R5Mode) => r5.minutes[mode].map((row) => row.map((m) => m + 0.5));
  for (const { name, feed, modes, rules } of COMPARISONS) {
    const region = await regionOf(folder, feed);
    const [origins, targets] = [r5.origins, r5.targets].map((list) => positionsOf(list, region));
    for (const [rule, adapt] of Object.entries(rules)) {
      const ours = ourTimes(adapt(region), origins, targets);
      for (const mode of modes) {
        const own = ours.get(mode === 'bike-anywhere' ? 'bike' : mode)!;
        const all = pairsOf(own, theirs(mode), CAPPED);
        const trips = all.filter(({ origin, target }) => isTrip(origin, target));
        const title = `engines.r5_7.${name}.${rule}.${mode}`;
        printDifference(title, trips, ABOUT);
        if (mode !== 'transit') continue;
        const { rides } = byRiding(trips, ours.get('walk')!, theirs('walk'));
        printDifference(`${title}_rides`, rides, ABOUT);
      }
    }
  }
}

async function regionOf(folder: string, feed: string): Promise<Region> {
  const osm = [path.join(folder, OSM)];
  const gtfs = [feed, METRO].map((file) => path.join(folder, file));
  const feeds = await datesOf({ osm, gtfs });
  return readFiles({ osm, blocks: [path.join(folder, BLOCKS)], counties: [], feeds });
}

function positionsOf(geoids: readonly GeoidNumber[], { counties }: Region): Position[] {
  const blocks = new Map([...counties.values()].flat().map((block) => [block.geoid, block]));
  return geoids.map((geoid) => {
    const { lon, lat } = blocks.get(geoid)!;
    return [lon, lat];
  });
}
