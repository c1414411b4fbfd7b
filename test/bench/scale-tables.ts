import type { Costs } from './costs.ts';
import { grouped, markdown, type Row, replaceTables } from './document-tables.ts';
import {
  ASSUMED,
  bytesOf,
  hoursMoving,
  NATION,
  nanosecondsPerPair,
  nationalBytes,
  nationalHours,
  nationalMoved,
  nationalPairs,
  type UnitCosts,
  unitCosts,
} from './national-estimate.ts';
import { type ScaleCity, type ScaleNation, type ScaleRecord, secondsOf } from './scale-record.ts';

/** The share of a release from which a kind of object has a row of its own. */
const LARGE_SHARE = 0.005;

/** Returns a document with its tables anew. */
export function withTables(document: string, record: ScaleRecord): string {
  const costs = unitCosts(record);
  const largest = record.nations.at(-1)!;
  return replaceTables(document, {
    cities: cities(record),
    bytes: bytes(record),
    'made-nation': madeNation(largest),
    'nation-bytes': nation(nationalBytes(costs), 'GB', 1e9),
    'nation-hours': nation(nationalHours(costs), 'core-hours', 1),
    'nation-moved': moved(costs),
    extrapolated: extrapolated(largest, costs),
  });
}

function cities({ date, commit, machine, node, cities }: ScaleRecord): string {
  const row = (name: string, value: (city: ScaleCity) => string) => [name, ...cities.map(value)];
  const step = (name: string, of: keyof ScaleCity['seconds']) =>
    row(name, ({ seconds }) => digits(seconds[of]));
  const table = markdown(
    ['blocks', ...cities.map(({ blocks }) => grouped(blocks))],
    [
      row('POIs', ({ pois }) => grouped(pois)),
      row('pairs of blocks, millions', ({ pairs }) => digits(pairs.blocks / 1e6)),
      row('pairs of a block and a POI, millions', ({ pairs }) => digits(pairs.pois / 1e6)),
      row('**CPU time, s**', (city) => `**${digits(secondsOf(city))}**`),
      step('reading blocks', 'blocks'),
      step('streets, POIs, links', 'network'),
      step('search', 'search'),
      step('`reach-to`', 'reachTo'),
      step('`catchment`', 'catchment'),
      step('tiles', 'tiles'),
      step('others', 'others'),
      row('CPU time per pair, ns', (city) => digits(nanosecondsPerPair(city))),
      row('CPU time per block, ms', (city) => digits((1e3 * secondsOf(city)) / city.blocks)),
      row('wall-clock time, s', ({ elapsedSeconds }) => digits(elapsedSeconds)),
      row('peak memory, MB', ({ peakMegabytes }) => grouped(Math.round(peakMegabytes))),
    ],
  );
  return `${table}\n${date}, commit ${commit}, Node ${node}, ${machine}; one search thread.\n\n`;
}

function bytes({ cities }: ScaleRecord): string {
  const kinds = [...new Set(cities.flatMap(({ bytes }) => Object.keys(bytes)))];
  const largest = cities.at(-1)!;
  const total = (city: ScaleCity) => Object.values(city.bytes).reduce((sum, one) => sum + one, 0);
  const sorted = kinds.toSorted((a, b) => (largest.bytes[b] ?? 0) - (largest.bytes[a] ?? 0));
  const isLarge = (kind: string) => (largest.bytes[kind] ?? 0) >= LARGE_SHARE * total(largest);
  const rest = (city: ScaleCity) =>
    kinds.reduce((sum, kind) => (isLarge(kind) ? sum : sum + (city.bytes[kind] ?? 0)), 0);
  const rows = sorted
    .filter(isLarge)
    .map((kind) => [
      `\`${kind}\``,
      ...cities.map((city) => digits((city.bytes[kind] ?? 0) / 1e6)),
      unit(kind, largest),
    ]);
  rows.push([
    'others',
    ...cities.map((city) => digits(rest(city) / 1e6)),
    `${digits(rest(largest) / largest.blocks)} B per block`,
  ]);
  const all = ['**a release**', ...cities.map((city) => `**${digits(total(city) / 1e6)}**`)];
  return markdown(
    ['object, MB', ...cities.map(({ blocks }) => grouped(blocks)), 'size of one'],
    [...rows, [...all, `${grouped(Math.round(total(largest) / largest.blocks))} B per block`]],
  );
}

function unit(kind: string, { bytes, blocks, pairs }: ScaleCity): string {
  if (kind.startsWith('reach')) return `${digits(bytes[kind] / pairs.blocks)} B per pair`;
  if (kind === 'pois' || kind === 'catchment')
    return `${digits(bytes[kind] / pairs.pois)} B per pair`;
  return `${digits(bytes[kind] / blocks)} B per block`;
}

function nation(parts: Readonly<Record<string, number>>, name: string, scale: number): string {
  const total = Object.values(parts).reduce((sum, one) => sum + one, 0);
  const rows = Object.entries(parts).map(([part, value]) => [part, digits(value / scale)]);
  const last: Row[] = [['**in all**', `**${digits(total / scale)}**`]];
  if (name === 'GB') {
    const dollars = (total / scale) * ASSUMED.dollarsPerGigabyteMonth;
    last.push(['dollars a month, stored', dollars.toFixed(2)]);
  }
  return markdown(['', name], [...rows, ...last]);
}

/** Lists the costs of making, building and verifying a made nation, by step. */
function madeNation(nation: ScaleNation): string {
  const { stages, steps, feeds, leftOut } = nation;
  const row = (name: string, { seconds, elapsed, read, written }: Costs) => [
    name,
    digits(seconds),
    digits(elapsed),
    grouped(Math.round(read / 1e6)),
    grouped(Math.round(written / 1e6)),
  ];
  const table = markdown(
    ['', 'CPU time, s', 'wall-clock, s', 'MB read', 'MB written'],
    [
      row('making the inputs', stages.generate),
      row('fetching them', stages.fetch),
      row('**the build**', stages.build),
      ...Object.entries(STEPS).flatMap(([step, name]) =>
        step in steps ? [row(name, steps[step])] : [],
      ),
      row('verifying the release', stages.verify),
    ],
  );
  const made = `${grouped(nation.blocks)} blocks in ${nation.counties} counties; of ${feeds.served} feeds, ${leftOut} left out`;
  const perBlock = digits((1e3 * secondsOf(nation)) / nation.blocks);
  const measured = `${nation.date}, commit ${nation.commit}, Node ${nation.node}, ${nation.machine}`;
  return `${table}\n${made}. ${perBlock} ms of CPU time per block, ${grouped(Math.round(nation.peakMegabytes))} MB a worker. ${measured}.\n\n`;
}

const STEPS: Readonly<Record<string, string>> = {
  blocks: 'reading blocks',
  preparation: 'map and feeds',
  network: 'streets, POIs, links',
  search: 'search',
  reachTo: '`reach-to`',
  catchment: '`catchment`',
  tiles: 'tiles',
  others: 'others, waits',
};

/** Bytes that a national build moves, and how long that takes. */
function moved(costs: UnitCosts): string {
  const parts = Object.entries(nationalMoved(costs));
  const row = (name: string, read: number, written: number) => [
    name,
    digits(read / 1e9),
    digits(written / 1e9),
    digits(hoursMoving({ read, written }, costs)),
  ];
  const sum = (of: 'read' | 'written') => parts.reduce((all, [, part]) => all + part[of], 0);
  return markdown(
    ['', 'GB read', 'GB written', `hours at ${digits(costs.bytesPerSecond / 1e6)} MB/s`],
    [
      ...parts.map(([name, { read, written }]) => row(name, read, written)),
      row('**in all**', sum('read'), sum('written')),
    ],
  );
}

/** Lists the quantities that were measured, and their factors to those of a nation. */
function extrapolated(nation: ScaleNation, costs: UnitCosts): string {
  const pairs = nationalPairs();
  const release = Object.values(nationalBytes(costs)).reduce((sum, one) => sum + one, 0);
  const row = (name: string, measured: number, estimated: number) => [
    name,
    digits(measured),
    digits(estimated),
    digits(estimated / measured),
  ];
  return markdown(
    ['', 'measured', 'nation', 'factor'],
    [
      row('blocks', nation.blocks, NATION.blocks),
      row('pairs of blocks, millions', nation.pairs.blocks / 1e6, pairs.blocks / 1e6),
      row('pairs of a block and a POI, millions', nation.pairs.pois / 1e6, pairs.pois / 1e6),
      row('release, GB', bytesOf(nation) / 1e9, release / 1e9),
    ],
  );
}

/** Two or three significant digits. */
function digits(value: number): string {
  if (value >= 100) return grouped(Math.round(value));
  return String(Number(value.toPrecision(2)));
}
