import path from 'node:path';
import type { Readable } from 'node:stream';
import type { CsvRow } from '../../shards/csv/csv-reader.ts';
import { PEOPLE, WEIGHT_NAME, WEIGHT_SOURCES } from '../../shards/weights/weight.ts';
import { BuildError, quoted } from '../errors.ts';
import { csvRecords, type TextChange } from '../inputs/csv.ts';
import {
  type CountedArea,
  countIn,
  type WantedCounts,
  type WeightFacts,
  type WeightFile,
  yearInName,
} from './weight-file.ts';

/**
 * Limits: more records than the country has blocks, and more characters than a row of counts has.
 */
const LIMITS = { lines: 20_000_000, recordLength: 1 << 16 };
const AREA_DIGITS = [15, 12, 11];

interface CountColumn {
  readonly at: number;
  /** Name of the column as in the header. */
  readonly name: string;
  readonly facts: WeightFacts;
}

/** The columns of a table that are read. */
interface Layout {
  readonly areaAt: number;
  readonly columns: readonly CountColumn[];
  readonly omitsZeros: boolean;
}

/**
 * Opens a CSV of counts, either a table of LODES, or a user's own with a `geoid` column and other
 * columns named after weights; or, of people, a CSV with columns of the GEOIDs and of the
 * populations of blocks, among others.
 */
export async function readCountTable(
  file: string,
  text: Readable,
  wanted: WantedCounts,
): Promise<WeightFile> {
  const records = rowsIn(file, text);
  const first = await records.next();
  const header = (first.done ? [] : first.value.cells).map((name) => name.trim());
  const layout = wanted === 'people' ? populationLayoutOf(file, header) : layoutOf(file, header);
  const { areaAt, columns, omitsZeros } = layout;
  return {
    path: file,
    weights: columns.map(({ facts }) => facts),
    omitsZeros,
    rows: rowsOf(file, records, areaAt, columns),
  };
}

/** The names of columns in lower case, each of which must be there once. */
function namesOf(file: string, header: readonly string[]): string[] {
  const names = header.map((name) => name.toLowerCase());
  const twice = names.find((name, i) => name !== '' && names.indexOf(name) < i);
  if (twice !== undefined) throw new BuildError(`${file}: header: has the column ${twice} twice`);
  return names;
}

/** Names of the columns of GEOIDs and of populations, in lower case, the best first. */
const GEOID_COLUMNS = ['geoid', 'geoid20', 'geoid_20', 'geocode'];
const POPULATION_COLUMNS = [
  'population',
  'pop20',
  'pop',
  'people',
  'p1_001n',
  'p0010001',
  'u7h001',
];

function populationLayoutOf(file: string, header: readonly string[]): Layout {
  const names = namesOf(file, header);
  const [area, people] = [GEOID_COLUMNS, POPULATION_COLUMNS].map((known) =>
    known.find((name) => names.includes(name)),
  );
  if (area === undefined || people === undefined) {
    throw new BuildError(
      `${file}: header: has no column ${area === undefined ? 'geoid' : 'population'}; name the columns geoid and population`,
    );
  }
  const facts = { ...PEOPLE, source: path.basename(file), year: yearInName(file) };
  const at = names.indexOf(people);
  return {
    areaAt: names.indexOf(area),
    columns: [{ at, name: header[at], facts }],
    omitsZeros: false,
  };
}

function layoutOf(file: string, header: readonly string[]): Layout {
  const names = namesOf(file, header);
  for (const { key, columns, source } of LODES_TABLES) {
    const areaAt = names.indexOf(key);
    if (areaAt === -1 || !names.includes('c000')) continue;
    const year = yearInName(file);
    const found = columns.map((column) => lodesColumn(file, names, column, { source, year }));
    return { areaAt, columns: found, omitsZeros: true };
  }
  const areaAt = names.indexOf('geoid');
  if (areaAt === -1) {
    throw new BuildError(
      `${file}: header: has neither geoid nor the columns of LODES (w_geocode or h_geocode, and C000); name the column of block, block group or tract GEOIDs geoid`,
    );
  }
  const columns = header.flatMap((name, at) => (at === areaAt ? [] : [ownColumn(file, name, at)]));
  if (columns.length === 0) throw new BuildError(`${file}: header: has no column beside geoid`);
  return { areaAt, columns, omitsZeros: false };
}

function lodesColumn(
  file: string,
  names: readonly string[],
  { column, ...facts }: LodesColumn,
  origin: Pick<WeightFacts, 'source' | 'year'>,
): CountColumn {
  const at = names.indexOf(column.toLowerCase());
  if (at === -1)
    throw new BuildError(`${file}: header: has no column ${column}; download it again`);
  return { at, name: column, facts: { ...facts, ...origin } };
}

function ownColumn(file: string, name: string, at: number): CountColumn {
  if (!WEIGHT_NAME.test(name)) {
    throw new BuildError(
      `${file}: header: column ${quoted(name)} is not a name of a weight: up to 40 lower-case letters, digits and underscores, a letter first; rename or remove it`,
    );
  }
  if (name === PEOPLE.weight) {
    throw new BuildError(
      `${file}: header: people come from the census blocks; rename or remove the column`,
    );
  }
  const words = name.replaceAll('_', ' ');
  const label = words[0].toUpperCase() + words.slice(1);
  const source = path.basename(file);
  const facts = { weight: name, label, unit: words, source, year: yearInName(file) };
  return { at, name, facts };
}

/**
 * The rows of a table. Its numbers and names of columns are ASCII in any encoding, but a NUL may
 * stand where a digit was.
 */
async function* rowsIn(file: string, text: Readable): AsyncGenerator<CsvRow> {
  const onChange = (line: number, change: TextChange) => {
    if (!change.startsWith('NUL')) return;
    throw new BuildError(`${file}: line ${line} has NUL characters; correct it`);
  };
  for await (const records of csvRecords(text, file, LIMITS, onChange)) {
    for (const record of records) {
      if ('fault' in record) {
        throw new BuildError(`${file}: line ${record.line} has ${record.fault}; correct it`);
      }
      yield record;
    }
  }
}

async function* rowsOf(
  file: string,
  records: AsyncIterable<CsvRow>,
  areaAt: number,
  columns: readonly CountColumn[],
): AsyncGenerator<CountedArea> {
  for await (const { line, cells } of records) {
    const row = `line ${line}`;
    const area = cells[areaAt]?.trim() ?? '';
    if (!/^\d+$/.test(area) || !AREA_DIGITS.includes(area.length)) {
      throw new BuildError(
        `${file}: ${row}: ${quoted(area)} is not a GEOID of a block (15 digits), a block group (12) or a tract (11), with leading zeros`,
      );
    }
    const counts = columns.map(({ at, name }) => countIn(cells[at]?.trim() ?? '', file, row, name));
    yield { area, counts, row };
  }
}

/** A column of a LODES table, and what it counts. */
interface LodesColumn extends Omit<WeightFacts, 'source' | 'year'> {
  readonly column: string;
}

/** A table of LODES: the name of the column of blocks, and the columns that become weights. */
interface LodesTable {
  readonly key: string;
  readonly source: string;
  readonly columns: readonly LodesColumn[];
}

/**
 * The area characteristics of LEHD's Origin-Destination Employment Statistics: jobs by workplace
 * (WAC) and by residence (RAC), in total and by monthly earnings (LODES technical documentation,
 * version 8). Blocks without a job have no row.
 */
const LODES_TABLES: readonly LodesTable[] = [
  { key: 'w_geocode', source: WEIGHT_SOURCES.workplaces, columns: byWage('jobs', 'Jobs') },
  { key: 'h_geocode', source: WEIGHT_SOURCES.residences, columns: byWage('workers', 'Workers') },
];

function byWage(unit: string, label: string): LodesColumn[] {
  return [
    { column: 'C000', weight: unit, label, unit },
    {
      column: 'CE01',
      weight: `${unit}_low_wage`,
      label: `${label} with up to $1,250 a month`,
      unit,
    },
    {
      column: 'CE02',
      weight: `${unit}_mid_wage`,
      label: `${label} with $1,251 to $3,333 a month`,
      unit,
    },
    {
      column: 'CE03',
      weight: `${unit}_high_wage`,
      label: `${label} with more than $3,333 a month`,
      unit,
    },
  ];
}
