import {
  ASSUMED,
  nanosecondsPerPair,
  nationalBytes,
  nationalHours,
  unitCosts,
} from './national-estimate.ts';
import { type ScaleCity, type ScaleRecord, totalSeconds } from './scale-record.ts';

type Row = readonly string[];

/** Returns a document with its tables, between `<!-- table: NAME -->` and `<!-- end -->`, anew. */
export function withTables(document: string, record: ScaleRecord): string {
  const tables: Readonly<Record<string, string>> = {
    cities: cities(record),
    bytes: bytes(record),
    'nation-bytes': nation(nationalBytes(unitCosts(record)), 'GB', 1e9),
    'nation-hours': nation(nationalHours(unitCosts(record)), 'core-hours', 1),
  };
  return document.replaceAll(
    /(<!-- table: ([\w-]+) -->\n).*?(?=<!-- end -->)/gs,
    (_, begin: string, name: string) => {
      if (!(name in tables)) throw new Error(`no table ${name}`);
      return `${begin}${tables[name]}`;
    },
  );
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
      row('**CPU time, s**', (city) => `**${digits(totalSeconds(city))}**`),
      step('reading blocks', 'blocks'),
      step('streets, POIs, links', 'network'),
      step('search', 'search'),
      step('`reach-to`', 'reachTo'),
      step('`catchment`', 'catchment'),
      step('tiles', 'tiles'),
      step('others', 'others'),
      row('CPU time per pair, ns', (city) => digits(nanosecondsPerPair(city))),
      row('CPU time per block, ms', (city) => digits((1e3 * totalSeconds(city)) / city.blocks)),
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
  const rows = sorted.map((kind) => [
    `\`${kind}\``,
    ...cities.map((city) => digits((city.bytes[kind] ?? 0) / 1e6)),
    unit(kind, largest),
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

function markdown(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.join(' | ')} |\n`;
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map(line).join('');
}

/** Two or three significant digits. */
function digits(value: number): string {
  if (value >= 100) return grouped(Math.round(value));
  return String(Number(value.toPrecision(2)));
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
