import { parseSitesCsv } from '../../../../../proxy/fields/parse-sites-csv.ts';
import { REQUEST_LIMITS } from '../../../../../proxy/http/request-limits.ts';
import { areaRows, siteColumns, siteRows } from '../../../../../proxy/queries/sites/site-table.ts';
import { csvField, csvLine } from '../../../../../shards/csv/csv-line.ts';
import type { DataOf } from '../../../../client/src/index.ts';
import { isOnEarth } from '../../state/area-file.ts';
import type { Point } from '../../state/codecs.ts';
import type { MapState } from '../../state/map-state.ts';
import { MAX_UNCOVERED, type Site } from '../../state/sites.ts';

/**
 * Measured sites as CSV, the same as the API returns: rows for the area, each site and each
 * candidate, also for those that are left out, and for uncovered blocks. POIs of a type have no
 * coordinates here.
 */
export function sitesCsv(
  coverage: DataOf<'measureSites'>,
  { sites: points, sitesType, sitesBy }: Pick<MapState, 'sites' | 'sitesType' | 'sitesBy'>,
): string {
  const candidates = points.filter(({ isCandidate }) => isCandidate);
  const sites =
    sitesType === null
      ? points.filter(({ isCandidate }) => !isCandidate)
      : coverage.sites.map(({ id }) => ({ id, lat: null, lon: null }));
  const { errors } = coverage;
  const lists = { sent: { sites, candidates }, errors, measures: coverage };
  const table = siteColumns({
    minutes: [sitesBy.within],
    choose: candidates.length,
    uncovered: MAX_UNCOVERED,
    hasAddresses: false,
  });
  const rows = [...areaRows(lists), ...siteRows(lists)].map((row) => table.cellsOf(row));
  return [table.columns.map(({ name }) => name), ...rows].map(csvLine).join('');
}

/** The sites of a file, or what is wrong with it. */
type ReadSites = { readonly sites: readonly Site[] } | { readonly fault: string };

const MAX_BYTES = 1_000_000;

/** Finds the point of an address; null if it is not certain. */
export type FindAddress = (address: string) => Promise<Point | null>;

/** Addresses of a file that are looked up, one request each. */
const MAX_ADDRESSES = 200;

/**
 * Reads sites from a CSV file in UTF-8 or UTF-16, as the API does. Only addresses of lines without
 * coordinates are sent.
 */
export async function readSites(file: Blob, find: FindAddress): Promise<ReadSites> {
  if (file.size > MAX_BYTES) return { fault: 'The file is over 1 MB: too large for 1,000 sites.' };
  const text = textOf(await file.arrayBuffer());
  if (text === null) {
    return { fault: 'The file is neither UTF-8 nor UTF-16: save it as “CSV UTF-8”.' };
  }
  if (text.includes('\0')) return { fault: 'The file is not text: save it as CSV.' };
  const placed = parseSitesCsv(text, 2 * REQUEST_LIMITS.sites);
  const parsed = 'faults' in placed ? ((await byAddress(text, find)) ?? placed) : placed;
  if ('fault' in parsed) return parsed;
  if ('faults' in parsed) {
    const [{ line, msg }] = parsed.faults;
    return { fault: `${line === undefined ? 'The file' : `Line ${line} of the file:`} ${msg}.` };
  }
  const sites = parsed.sites.map(({ id, lat, lon, isCandidate }): Site => {
    return { id, lat: Number(lat), lon: Number(lon), isCandidate: isCandidate ?? false };
  });
  if (sites.length === 0) return { fault: 'The file has no sites.' };
  const candidates = sites.filter(({ isCandidate }) => isCandidate).length;
  return Math.max(candidates, sites.length - candidates) > REQUEST_LIMITS.sites
    ? { fault: `The file has more than ${REQUEST_LIMITS.sites} sites or candidates.` }
    : { sites };
}

/** The sites of a text with coordinates or an address in each line; null for any other. */
async function byAddress(text: string, find: FindAddress) {
  const parsed = parseSitesCsv(text, 2 * REQUEST_LIMITS.sites, { isUnplacedKept: true });
  if ('faults' in parsed) return null;
  const isPlaced = ({ lat, lon }: (typeof parsed.sites)[number]) =>
    typeof lat === 'number' && typeof lon === 'number' && isOnEarth([lon, lat]);
  const sought = parsed.sites.filter((one) => !isPlaced(one));
  if (sought.some(({ address }) => address === '')) return null;
  if (sought.length > MAX_ADDRESSES) {
    return { fault: `The file has more than ${MAX_ADDRESSES} addresses without coordinates.` };
  }
  const found = new Map<string, Point>();
  for (const { line, address } of sought) {
    const at = await find(address);
    if (at === null) {
      return { fault: `Line ${line} of the file: “${address}” is not certain. Give lat and lon.` };
    }
    found.set(address, at);
  }
  return {
    sites: parsed.sites.map((one) =>
      isPlaced(one) ? one : { ...one, ...found.get(one.address)! },
    ),
  };
}

/** Writes sites to a CSV file that `readSites` reads, ids to the letter. */
export function sitesFile(sites: readonly Site[]): Blob {
  const lines = sites.map(({ id, lat, lon, isCandidate }) =>
    [csvField(id), lat, lon, isCandidate ? 'yes' : 'no'].join(),
  );
  const text = ['id,lat,lon,candidate', ...lines].map((line) => `${line}\r\n`);
  return new Blob(text, { type: 'text/csv' });
}

/** The text of a file in UTF-8, or in UTF-16 with a byte order mark; null for any other. */
function textOf(bytes: ArrayBuffer): string | null {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
