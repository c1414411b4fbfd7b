import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, homedir } from 'node:os';
import path from 'node:path';
import { dateOfPbf, headerOfPbf } from '../../builder/osm/pbf.ts';
import type { Region } from '../../builder/region/read-region.ts';
import {
  MILLIS_PER_MINUTE,
  OWN_RULES,
  ROUTING,
  RULE_NAMES,
  type RulesOfR5,
} from '../../builder/routing-parameters.ts';
import { CLOSED } from '../../builder/streets/mode-costs.ts';
import type { SearchedWindow } from '../../builder/transit/transit-region.ts';
import type { Position } from '../../shards/geometry/polygon.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { Minutes } from '../../shards/units.ts';
import { AM } from '../support/joined-feeds.ts';
import { readFiles } from '../support/prepared-city.ts';
import { datesOf } from '../support/read-feeds.ts';
import {
  byRiding,
  type Difference,
  differenceIn,
  type IsSame,
  pairsOf,
} from './engines/difference.ts';
import { oneDayFeeds } from './engines/one-day-feeds.ts';
import { otpTimes } from './engines/otp.ts';
import { type OurMinutes, ourProcessorTime, ourTimes, withoutStress } from './engines/our-times.ts';
import { type R5Minutes, type R5Mode, type R5Table, r5Times, readR5Table } from './engines/r5.ts';
import { valhallaMetres } from './engines/valhalla.ts';
import type { EnginesCity, EnginesRecord, Kind, Rules } from './engines-record.ts';
import { ENGINES_RECORD } from './engines-record.ts';
import { withEngineTables } from './engines-tables.ts';
import { figure } from './figure.ts';
import { baltimore } from './inputs.ts';

/** Documents with tables of this comparison. */
const DOCUMENTS = ['ACCURACY.md', 'test/bench/README.md'];
const CORNER_EVERY = { origin: 100, target: 5 };
const METRES_PER_MINUTE = 60 * ROUTING.walkMetresPerSecond;
/** Minutes up to which pairs are compared. */
const CAPPED: Minutes = 30;
const ORIGINS = 40;
const R5 = 'R5 4.8.1 of March 2020';
const NEWEST_R5 = 'R5 7.6 of August 2026';
const OTP = 'OpenTripPlanner 2.8.1 of 2025';
const VALHALLA = 'Valhalla 3.9.1 of 2026';

const VARIANTS: ReadonlyMap<Rules, RulesOfR5> = new Map<Rules, RulesOfR5>([
  ['as shipped', OWN_RULES],
  ...RULE_NAMES.map((rule) => [rule, new Set([rule])] as const),
  ['all five', new Set(RULE_NAMES)],
]);

/** Every how manyth origin and target is taken. */
interface Sampling {
  readonly origin: number;
  readonly target: number;
}

/** Times by transit other than those of every release, which R5 states too. */
interface FurtherTiming {
  readonly kind: Kind;
  readonly mode: R5Mode;
  readonly window: SearchedWindow;
}

const MEDIAN: FurtherTiming = {
  kind: 'ridden, median',
  mode: 'transit-median',
  window: { ...AM, percentiles: [50] },
};
const EARLY: FurtherTiming = {
  kind: 'ridden from 7:00',
  mode: 'transit-early',
  window: { ...AM, name: 'early', opens: 7 * 60 },
};

interface CityInputs {
  readonly place: string;
  readonly osm: string;
  readonly blocks: readonly string[];
  readonly counties: readonly string[];
  readonly gtfs: readonly string[];
  /** The feeds and their dates, in words. */
  readonly feeds: string;
  /** The date on which all engines read the feeds, a Monday. */
  readonly date: string;
  readonly zone: string;
  /** OpenTripPlanner is asked for one pair at a time, so it is asked for fewer. */
  readonly otpEvery: Sampling;
  /** Minutes between blocks by the newest R5, if there are any. */
  readonly table: R5Table | null;
}

/**
 * Compares our times with those of R5, Valhalla and OpenTripPlanner on the same inputs, as shipped
 * and with each of our own rules replaced by R5's; keeps the results in `engines.json`, and writes
 * the tables of the documents. The engines come from their registries, into the folder
 * `ENGINES_CACHE`. The data of Porto Alegre is not in the repository: `ENGINES_DATA` names its
 * folder.
 */
export async function benchEngines(folder: string): Promise<void> {
  const data = process.env.ENGINES_DATA;
  if (data === undefined) {
    throw new Error(
      'set ENGINES_DATA to the folder of porto-alegre/ and its feeds, streets, blocks and minutes of R5 7.6',
    );
  }
  const cache =
    process.env.ENGINES_CACHE ?? path.join(homedir(), '.cache/travel-time-access/engines');
  mkdirSync(cache, { recursive: true });
  const cities: EnginesCity[] = [];
  for (const city of [baltimoreInputs(), portoAlegre(path.join(data, 'porto-alegre'))]) {
    const work = path.join(folder, 'engines', city.place);
    mkdirSync(work, { recursive: true });
    cities.push(await compareIn(city, { folder: work, cache }));
  }
  const record: EnginesRecord = {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], { encoding: 'utf8' }).trim(),
    machine: `${cpus().length} cores, ${cpus()[0].model}`,
    cities,
  };
  writeFileSync(ENGINES_RECORD, `${JSON.stringify(record, null, 2)}\n`);
  for (const document of DOCUMENTS) {
    writeFileSync(document, withEngineTables(readFileSync(document, 'utf8'), record));
  }
}

function baltimoreInputs(): CityInputs {
  return {
    ...baltimore(),
    feeds: 'trains, boats and Circulator buses of 2020 to 2025',
    date: '2020-11-09',
    zone: 'America/New_York',
    otpEvery: { origin: 1, target: 21 },
    table: null,
  };
}

function portoAlegre(folder: string): CityInputs {
  const at = (file: string) => path.join(folder, file);
  return {
    place: 'Porto Alegre',
    osm: at('porto-alegre.osm.pbf'),
    blocks: [at('tl_2024_90001_tabblock20.zip')],
    counties: [],
    gtfs: ['eptc-moved-and-filled-by-distance.zip', 'trensurb.zip'].map(at),
    feeds: 'EPTC buses of April 2019 and the Trensurb metro of 2019',
    date: '2019-07-08',
    zone: 'America/Sao_Paulo',
    otpEvery: { origin: 4, target: 30 },
    table: readR5Table(at('r5-7.6-minutes.csv.gz')),
  };
}

interface Folders {
  readonly folder: string;
  readonly cache: string;
}

async function compareIn(city: CityInputs, folders: Folders): Promise<EnginesCity> {
  const { place, osm, table, otpEvery } = city;
  const days = (await datesOf({ osm: [osm], gtfs: city.gtfs }))!.feeds.map(({ day }) => day!);
  const { box } = await headerOfPbf(osm);
  const gtfs = await oneDayFeeds(city.gtfs, { days, date: city.date, box }, folders.folder);
  const read = async (rulesOfR5: RulesOfR5, window = AM) => {
    const feeds = await datesOf({ osm: [osm], gtfs, serviceDate: city.date }, window);
    const { blocks, counties } = city;
    const files = { osm: [osm], blocks, counties, feeds, window, rulesOfR5 };
    return readFiles({ ...files, further: ['step_free'] });
  };
  const own = await read(OWN_RULES);
  const all = [...own.counties.values()].flat();
  const linked = all.filter(({ lon, lat }) => isBesideStreet(own, [lon, lat]));
  const every = Math.ceil(linked.length / ORIGINS);
  const origins = table
    ? table.origins.map((geoid) => all.find((block) => block.geoid === geoid)!)
    : linked.filter((_, i) => i % every === 0);
  const blocks = table
    ? table.targets.map((geoid) => all.find((block) => block.geoid === geoid)!)
    : linked;
  const [from, to] = [origins, blocks].map((list) =>
    list.map(({ lon, lat }): Position => [lon, lat]),
  );

  const r5 = await r5Times(osm, gtfs, city.date, from, folders);
  const isNear = r5.cells.map((cell) => isBesideStreet(own, cell));
  const cells = r5.cells.filter((_, i) => isNear[i]);
  const sampled = {
    from: from.filter((_, i) => i % otpEvery.origin === 0),
    to: to.filter((_, i) => i % otpEvery.target === 0),
  };
  const otp = await otpTimes(
    { osm, gtfs, date: city.date, zone: city.zone },
    sampled.from,
    sampled.to,
    folders,
  );

  const isSameBlock: IsSame = (o, t) => origins[o].geoid === blocks[t].geoid;
  const compared: EnginesCity['compared'] = [];
  const switched: EnginesCity['switched'] = [];
  const add = (engine: string, kind: Kind, rules: Rules, difference: Difference) => {
    compared.push({ engine, kind, rules, ...difference });
    const { pairs, within10or1, within10or2, median } = difference;
    const about = { place, engine, kind, rules, pairs, within10or1, median };
    figure('engines.within_10_percent_or_2_minutes', within10or2, '%', about);
  };
  let shipped: OurMinutes | null = null;
  for (const [rules, rulesOfR5] of VARIANTS) {
    const region = rulesOfR5.size === 0 ? own : await read(rulesOfR5);
    const times = ourTimes(region, from, [...to, ...cells]);
    const part = (start: number, end?: number): OurMinutes =>
      new Map([...times].map(([mode, rows]) => [mode, rows.map((row) => row.slice(start, end))]));
    const toBlocks = part(0, to.length);
    const calm = ourTimes(withoutStress(region), from, [...to, ...cells]).get('bike')!;
    const calmPart = (start: number, end?: number) => calm.map((row) => row.slice(start, end));
    const minutes = pick(r5.minutes, isNear);
    const anywhere = calmPart(to.length);
    for (const [kind, found] of againstR5(part(to.length), anywhere, minutes, () => false)) {
      add(R5, kind, rules, found);
    }
    const isTimed = rules === 'as shipped' || rules === 'all five';
    for (const { kind, mode, window } of isTimed ? [MEDIAN, EARLY] : []) {
      const timed = await read(rulesOfR5, window);
      const ours = ourTimes(timed, from, cells, window.opens * MILLIS_PER_MINUTE);
      add(R5, kind, rules, differenceIn(tripsOf(ours, minutes, () => false, mode).rides));
    }
    if (table) {
      const anyStress = calmPart(0, to.length);
      for (const [kind, found] of againstR5(toBlocks, anyStress, table.minutes, isSameBlock)) {
        add(NEWEST_R5, kind, rules, found);
      }
    }
    for (const [kind, found] of againstOtp(toBlocks, otp, otpEvery, isSameBlock))
      add(OTP, kind, rules, found);
    shipped ??= toBlocks;
    if (rulesOfR5.size > 0) {
      for (const [kind, found] of between(toBlocks, shipped, isSameBlock)) {
        switched.push({ kind, rules, ...found });
      }
    }
  }
  add(VALHALLA, 'walk', 'as shipped', await againstValhalla(own, osm, folders));
  const { walk, bike, transit } = r5.processorTime;
  const ours = ourProcessorTime({ ...own, networks: own.networks.slice(0, 2) }, from, cells);
  figure('engines.processor_time', walk + bike + transit, 'ms', { place, ours });
  return {
    place,
    map: new Date(await dateOfPbf(osm)).toISOString().slice(0, 10),
    feeds: city.feeds,
    origins: origins.length,
    compared,
    switched,
    speed: { targets: cells.length, r5: walk + bike + transit, ours },
  };
}

/** Whether a point has a street to walk on within the first radius of linking. */
function isBesideStreet({ networks: [walk] }: Region, [lon, lat]: Position): boolean {
  const link = walk.linker.link(lon, lat);
  return typeof link !== 'string' && link.snap <= ROUTING.linkRadii[0];
}

/** The columns of some targets. */
function pick(minutes: R5Minutes, isWanted: readonly boolean[]): R5Minutes {
  const picked = Object.entries(minutes).map(([mode, rows]) => {
    return [mode, rows.map((row) => row.filter((_, i) => isWanted[i]))];
  });
  return Object.fromEntries(picked) as R5Minutes;
}

/** Compares our times with those of R5. `anywhere`: our rides at any stress. */
function againstR5(
  ours: OurMinutes,
  anywhere: readonly (readonly Minutes[])[],
  minutes: R5Minutes,
  isSame: IsSame,
): [Kind, Difference][] {
  const theirs = (mode: R5Mode) => unrounded(minutes[mode]);
  const pairs = (own: readonly (readonly Minutes[])[], mode: R5Mode) =>
    differenceIn(pairsOf(own, theirs(mode), CAPPED, isSame));
  const { rides, walks } = tripsOf(ours, minutes, isSame);
  // Tables of the newest R5 have none.
  const hasStepFree = minutes['step-free'].length > 0;
  return [
    ['walk', pairs(ours.get('walk')!, 'walk')],
    ...(hasStepFree
      ? [['step-free', pairs(ours.get('step_free')!, 'step-free')] satisfies [Kind, Difference]]
      : []),
    ['bike', pairs(ours.get('bike')!, 'bike')],
    ['bike, any stress', pairs(anywhere, 'bike-anywhere')],
    ['ridden', differenceIn(rides)],
    ['not ridden', differenceIn(walks)],
  ];
}

/** The trips by transit of R5's times by a mode, by whether they are ridden. */
function tripsOf(
  ours: OurMinutes,
  minutes: R5Minutes,
  isSame: IsSame,
  mode: R5Mode = 'transit',
): ReturnType<typeof byRiding> {
  const walk = unrounded(minutes.walk);
  // Our engine counts a walk as a transit trip.
  const orWalk = unrounded(minutes[mode]).map((row, o) =>
    row.map((time, t) => Math.min(time, walk[o][t])),
  );
  const trips = pairsOf(ours.get('transit')!, orWalk, CAPPED, isSame);
  return byRiding(trips, ours.get('walk')!, walk);
}

/** The means of the times that R5 has rounded down to whole minutes. */
function unrounded(rows: readonly (readonly Minutes[])[]): Minutes[][] {
  return rows.map((row) => row.map((minutes) => minutes + 0.5));
}

function againstOtp(
  ours: OurMinutes,
  otp: Awaited<ReturnType<typeof otpTimes>>,
  { origin, target }: Sampling,
  isSame: IsSame,
): [Kind, Difference][] {
  const sample = (rows: readonly (readonly Minutes[])[]) =>
    rows.filter((_, o) => o % origin === 0).map((row) => row.filter((_, t) => t % target === 0));
  const isSameOf: IsSame = (o, t) => isSame(o * origin, t * target);
  const [walk, transit] = [sample(ours.get('walk')!), sample(ours.get('transit')!)];
  const trips = pairsOf(transit, otp.transit, CAPPED, isSameOf);
  const { rides } = byRiding(trips, walk, otp.walk);
  return [
    ['walk', differenceIn(pairsOf(walk, otp.walk, CAPPED, isSameOf))],
    ['ridden', differenceIn(rides)],
  ];
}

/** Compares our times by some rules with those as shipped. */
function between(times: OurMinutes, shipped: OurMinutes, isSame: IsSame): [Kind, Difference][] {
  const pairs = (mode: 'walk' | 'bike' | 'transit') =>
    pairsOf(times.get(mode)!, shipped.get(mode)!, CAPPED, isSame);
  const { rides } = byRiding(pairs('transit'), times.get('walk')!, shipped.get('walk')!);
  return [
    ['walk', differenceIn(pairs('walk'))],
    ['bike', differenceIn(pairs('bike'))],
    ['ridden', differenceIn(rides)],
  ];
}

/** Compares walks between crossings, where no linking is involved: only map reading and search. */
async function againstValhalla(region: Region, osm: string, folders: Folders): Promise<Difference> {
  const corners = crossings(region);
  const origins = corners.filter((_, i) => i % CORNER_EVERY.origin === 0);
  const targets = corners.filter((_, i) => i % CORNER_EVERY.target === 0);
  const metres = await valhallaMetres(osm, origins, targets, folders);
  const theirs = metres.map((row) => row.map((length) => length / METRES_PER_MINUTE));
  const ours = ourTimes({ ...region, riders: [] }, origins, targets).get('walk')!;
  const isSame: IsSame = (o, t) => origins[o] === targets[t];
  return differenceIn(pairsOf(ours, theirs, CAPPED, isSame));
}

/** Map vertices where three or more walkable edges meet. */
function crossings({ streets, networks: [walk], coverage }: Region): Position[] {
  const edges = new Uint8Array(streets.vertexCount);
  for (let edge = 0; edge < streets.edgeCount; edge++) {
    if (walk.costs.forward[edge] === CLOSED || walk.costs.backward[edge] === CLOSED) continue;
    edges[streets.from[edge]]++;
    edges[streets.to[edge]]++;
  }
  return [...edges.keys()]
    .filter((vertex) => edges[vertex] >= 3)
    .map((vertex): Position => [streets.vertexLon[vertex], streets.vertexLat[vertex]])
    .filter(([lon, lat]) => coverage === null || boxContains(coverage, lon, lat));
}
