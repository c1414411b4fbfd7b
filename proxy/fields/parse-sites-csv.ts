import { type CsvFault, CsvReader } from '../../shards/csv/csv-reader.ts';
import { MAX_COUNTED_FAULTS, REQUEST_LIMITS } from '../http/request-limits.ts';

/** A site of CSV text, and the line that it begins on, from 1. */
interface CsvSite {
  readonly line: number;
  readonly id: string;
  /** Text, or out of range, only if misplaced sites are kept. */
  readonly lat: number | string;
  readonly lon: number | string;
  /** Text; '' if there is none. */
  readonly address: string;
  /** '' if there is none, or if capacities are not read. */
  readonly capacity: number | string;
  /** Null if the text does not state it. */
  readonly isCandidate: boolean | null;
}

interface SitesFault {
  readonly line?: number;
  readonly msg: string;
  readonly type:
    | 'malformed'
    | 'missing'
    | 'duplicate'
    | 'too_big'
    | 'out_of_range'
    | 'invalid_type'
    | 'invalid_value';
}

type ParsedSites =
  | { readonly sites: readonly CsvSite[] }
  | { readonly faults: readonly SitesFault[] };

interface Range {
  readonly min: number;
  readonly max: number;
}

const REQUIRED = ['id', 'lat', 'lon'] as const;
const COLUMNS = [...REQUIRED, 'address', 'candidate', 'capacity'] as const;
type Column = (typeof COLUMNS)[number];

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['latitude', 'lat'],
  ['longitude', 'lon'],
  ['long', 'lon'],
  ['lng', 'lon'],
]);

/**
 * Text that is ignored: a byte order mark, and the line that states the delimiter in some files of
 * Excel.
 */
const BEFORE_HEADER = /^\ufeff?(sep=.(?=[\r\n]))?/i;

const MAX_COLUMNS = 1_000;
const MAX_QUOTED = 100;

/**
 * Parses sites from CSV with the columns `id`, `lat`, `lon` and, if some are candidates,
 * `candidate` (`yes` or `no`), as spreadsheets save it in any language: between commas, semicolons
 * or tabs, with decimal points or commas. Other columns are ignored. Text with more than `most`
 * sites is refused. The first `MAX_COUNTED_FAULTS` faults of lines are listed. `isUnplacedKept`:
 * coordinates that are missing, out of range or no numbers are no faults, and are kept as they are;
 * a column `address` may stand in place of `lat` and `lon`. `capacity`: the
 * bounds of a column `capacity`, which is ignored without them.
 */
export function parseSitesCsv(
  text: string,
  most: number,
  {
    isUnplacedKept = false,
    capacity: bounds,
  }: { readonly isUnplacedKept?: boolean; readonly capacity?: Range | undefined } = {},
): ParsedSites {
  const records = filledRecords(text.replace(BEFORE_HEADER, ''));
  const first = records.next().value ?? { cells: [] };
  if ('fault' in first) return { faults: [malformed(first)] };
  const headings = first.cells;
  if (headings.length > MAX_COLUMNS) {
    return { faults: [{ msg: `must have at most ${MAX_COLUMNS} columns`, type: 'too_big' }] };
  }
  const header = headings.map(columnOf);
  const isByAddress =
    isUnplacedKept && header.includes('address') && !REQUIRED.every((one) => header.includes(one));
  const required: readonly Column[] = isByAddress ? ['id', 'address'] : REQUIRED;
  const others: readonly Column[] = bounds ? ['candidate', 'capacity'] : ['candidate'];
  const headerFault = faultOfHeader(header, required, others);
  if (headerFault) return { faults: [headerFault] };
  const positions = COLUMNS.map((column) => {
    const isRead = column !== 'capacity' || bounds !== undefined;
    return [column, isRead ? header.indexOf(column) : -1] as const;
  });
  const sites: CsvSite[] = [];
  const faults: SitesFault[] = [];
  const lineById = new Map<string, number>();
  for (const record of records) {
    if (sites.length === most) {
      return { faults: [{ msg: `must list at most ${most}`, type: 'too_big' }] };
    }
    if ('fault' in record) {
      faults.push(malformed(record));
      if (faults.length === MAX_COUNTED_FAULTS) break;
      continue;
    }
    const { line, cells } = record;
    const row = Object.fromEntries(
      positions.map(([column, i]) => [column, cells[i]?.trim() ?? '']),
    ) as Row;
    const misplaced = isUnplacedKept ? null : faultOfPlace(row);
    const overbound = bounds ? faultOfCapacity(row.capacity, bounds) : null;
    const fault = faultOfRow(row, lineById.get(row.id)) ?? misplaced ?? overbound;
    if (fault) {
      faults.push({ line, ...fault });
      if (faults.length === MAX_COUNTED_FAULTS) break;
      continue;
    }
    lineById.set(row.id, line);
    const [lat, lon, capacity] = [row.lat, row.lon, row.capacity].map((cell) => {
      const value = decimal(cell);
      return Number.isNaN(value) ? cell : value;
    });
    const { id, address } = row;
    const isCandidate = candidacy(row.candidate) ?? null;
    sites.push({ line, id, lat, lon, address, capacity, isCandidate });
  }
  return faults.length > 0 ? { faults } : { sites };
}

/**
 * Yields the records that are not blank, separated by the delimiter that is most frequent in the
 * first.
 */
function* filledRecords(text: string) {
  const [header] = /.*/.exec(text.trimStart())!;
  const unquoted = header.replace(/"[^"]*"/g, '');
  const [delimiter] = [',', ';', '\t']
    .map((one) => [one, unquoted.split(one).length] as const)
    .reduce((best, one) => (one[1] > best[1] ? one : best));
  for (const record of new CsvReader(delimiter).read(text, true)) {
    if ('fault' in record || record.cells.some((cell) => cell.trim() !== '')) yield record;
  }
}

function malformed({ line, fault }: CsvFault): SitesFault {
  return { line, msg: `has ${fault}`, type: 'malformed' };
}

/** The short name of a column: `lat` for `Latitude (WGS84)`. */
function columnOf(header: string): string {
  const name = header.split(/[([]/, 1)[0].trim().toLowerCase();
  return OTHER_NAMES.get(name) ?? name;
}

function faultOfHeader(
  header: readonly string[],
  required: readonly Column[],
  others: readonly Column[],
): SitesFault | null {
  const lacking = required.filter((column) => !header.includes(column));
  if (lacking.length > 0) {
    const has = header.length === 0 ? '' : `; it has ${quoted(header.join(', '))}`;
    const noun = lacking.length === 1 ? 'column' : 'columns';
    return { msg: `lacks the ${noun} ${lacking.join(', ')}${has}`, type: 'missing' };
  }
  const repeated = [...required, ...others].find(
    (column) => header.indexOf(column) !== header.lastIndexOf(column),
  );
  if (repeated === undefined) return null;
  return { msg: `has more than one column ${repeated}`, type: 'duplicate' };
}

type Row = Readonly<Record<Column, string>>;

/**
 * Returns the fault of a row, or null. `earlier`: the line that has the same id already, if any.
 */
function faultOfRow(row: Row, earlier: number | undefined): SitesFault | null {
  if (row.id === '') return { msg: 'id is missing', type: 'missing' };
  if (row.id.length > REQUEST_LIMITS.nameLength) {
    return { msg: `id must have at most ${REQUEST_LIMITS.nameLength} characters`, type: 'too_big' };
  }
  if (earlier !== undefined) {
    return { msg: `id ${quoted(row.id)} is also that of line ${earlier}`, type: 'duplicate' };
  }
  if (candidacy(row.candidate) !== undefined) return null;
  const msg = `candidate must be yes or no, not ${quoted(row.candidate)}`;
  return { msg, type: 'invalid_value' };
}

function faultOfPlace(row: Row): SitesFault | null {
  return faultOfDegrees('lat', row.lat, 90) ?? faultOfDegrees('lon', row.lon, 180);
}

function faultOfDegrees(column: 'lat' | 'lon', text: string, most: number): SitesFault | null {
  if (text === '') return { msg: `${column} is missing`, type: 'missing' };
  const value = decimal(text);
  if (Math.abs(value) <= most) return null;
  const hint = Math.abs(value) <= 180 ? ': are lat and lon exchanged?' : '';
  const msg = `${column} must be a number from -${most} to ${most}, not ${quoted(text)}${hint}`;
  return { msg, type: Number.isNaN(value) ? 'invalid_type' : 'out_of_range' };
}

/** A number such as 1,200, which is a thousand times as much as with a decimal comma. */
const OF_THOUSANDS = /^\+?[1-9]\d{0,2},\d{3}$/;

function faultOfCapacity(text: string, { min, max }: Range): SitesFault | null {
  if (text === '') return null;
  if (OF_THOUSANDS.test(text)) {
    const msg = `capacity must be a number without separators of thousands, not ${quoted(text)}`;
    return { msg, type: 'invalid_type' };
  }
  const value = decimal(text);
  if (value >= min && value <= max) return null;
  const msg = `capacity must be a number from ${min} to ${max}, not ${quoted(text)}`;
  return { msg, type: Number.isNaN(value) ? 'invalid_type' : 'out_of_range' };
}

/** A decimal number, with a point or a comma; NaN for other text. */
function decimal(text: string): number {
  return /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(text)
    ? Number(text.replace(',', '.'))
    : Number.NaN;
}

/** Whether a site is a candidate; null if it is not stated, undefined for other text. */
export function candidacy(text: string): boolean | null | undefined {
  if (text === '') return null;
  if (/^(yes|true|1)$/i.test(text)) return true;
  return /^(no|false|0)$/i.test(text) ? false : undefined;
}

function quoted(text: string): string {
  return text.slice(0, MAX_QUOTED);
}
