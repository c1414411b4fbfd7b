import { MAX_SITES, type Site } from './sites.ts';

/** The sites of a file, or what is wrong with it. */
export type ReadSites = { readonly sites: readonly Site[] } | { readonly fault: string };

const MAX_BYTES = 1_000_000;

/**
 * Reads sites from CSV with the columns `id`, `lat`, `lon` and, if some are candidates, `candidate`
 * (`yes` or `no`), as spreadsheets save it in any language: between commas, semicolons or tabs,
 * with decimal points or commas, in UTF-8 or UTF-16. Nothing is sent anywhere.
 */
export async function readSites(file: Blob): Promise<ReadSites> {
  if (file.size > MAX_BYTES) return { fault: 'The file is over 1 MB: too large for 1,000 sites.' };
  const text = textOf(await file.arrayBuffer());
  if (text.includes('\0')) return { fault: 'The file is not text: save it as CSV.' };
  const { default: Papa } = await import('papaparse');
  const { data, meta } = Papa.parse<Row>(text.replace(SEPARATOR_LINE, ''), {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: columnOf,
  });
  const columns = meta.fields ?? [];
  const lacking = ['id', 'lat', 'lon'].filter((name) => !columns.includes(name));
  if (lacking.length > 0) {
    const has = columns.length === 0 ? '' : `; it has ${columns.join(', ').slice(0, 100)}`;
    const needs = `The file lacks the columns: ${lacking.join(', ')}. It needs id, lat, lon${has}.`;
    return { fault: needs };
  }
  if (data.length === 0) return { fault: 'The file has no sites.' };
  const rowById = new Map<string, number>();
  const sites: Site[] = [];
  for (const [i, row] of data.entries()) {
    const number = i + 1;
    if (row.__parsed_extra) return faultAt(number, EXTRA_VALUES);
    const id = row.id?.trim() ?? '';
    const lat = degrees(row.lat, 90);
    const lon = degrees(row.lon, 180);
    if (id === '') return faultAt(number, 'id is empty');
    if (rowById.has(id)) return faultAt(number, `id ${id} is also that of site ${rowById.get(id)}`);
    if (lat === null) {
      const isLongitude = degrees(row.lat, 180) !== null;
      const hint = isLongitude ? '; lat and lon may be exchanged' : '';
      return faultAt(number, `lat must be a number from -90 to 90${hint}`);
    }
    if (lon === null) return faultAt(number, 'lon must be a number from -180 to 180');
    rowById.set(id, number);
    const candidate = row.candidate?.trim() ?? '';
    const isCandidate = /^(yes|true|1)$/i.test(candidate);
    if (!isCandidate && !/^(no|false|0|)$/i.test(candidate)) {
      return faultAt(number, `candidate must be yes or no, not ${candidate}`);
    }
    sites.push({ id, lat, lon, isCandidate });
  }
  const candidates = sites.filter(({ isCandidate }) => isCandidate).length;
  return Math.max(candidates, sites.length - candidates) > MAX_SITES
    ? { fault: `The file has more than ${MAX_SITES} sites or candidates.` }
    : { sites };
}

/** Sites as a file that `readSites` reads. */
export async function sitesFile(sites: readonly Site[]): Promise<Blob> {
  const { default: Papa } = await import('papaparse');
  const rows = sites.map(({ id, lat, lon, isCandidate }) => ({
    id,
    lat,
    lon,
    candidate: isCandidate ? 'yes' : 'no',
  }));
  return new Blob([Papa.unparse(rows), '\r\n'], { type: 'text/csv' });
}

function faultAt(number: number, fault: string): ReadSites {
  return { fault: `Site ${number} of the file: ${fault}.` };
}

/** Values by column; `__parsed_extra`: those beyond the last one. */
type Row = Readonly<Partial<Record<string, string>>>;

const EXTRA_VALUES =
  'it has more values than there are columns; put numbers with decimal commas in quotes';

/** The first line of some files of Excel, which states the separator. */
const SEPARATOR_LINE = /^sep=.\r?\n/i;

/** The text of a file in UTF-8, or in UTF-16 with a byte order mark. */
function textOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['latitude', 'lat'],
  ['longitude', 'lon'],
  ['long', 'lon'],
  ['lng', 'lon'],
]);

/** A column by its short name: `lat` for `Latitude (WGS84)`. */
function columnOf(header: string): string {
  const name = header
    .replace(/\(.*\)|\[.*\]/, '')
    .trim()
    .toLowerCase();
  return OTHER_NAMES.get(name) ?? name;
}

function degrees(text = '', most: number): number | null {
  const value =
    text.trim() === '' ? Number.NaN : Number(text.replace(/^([^.,]*),([^.,]*)$/, '$1.$2'));
  return Math.abs(value) <= most ? value : null;
}
