import { MAX_SITES, type Site } from './sites.ts';

/** The sites of a file, or what is wrong with it. */
export type ReadSites = { readonly sites: readonly Site[] } | { readonly fault: string };

const MAX_BYTES = 1_000_000;

/**
 * Reads sites from CSV with the columns `id`, `lat`, `lon` and, if some are candidates, `candidate`
 * (`yes` or `no`). Nothing is sent anywhere.
 */
export async function readSites(file: Blob): Promise<ReadSites> {
  if (file.size > MAX_BYTES) return { fault: 'The file is over 1 MB: too large for 1,000 sites.' };
  const { default: Papa } = await import('papaparse');
  const { data, meta } = Papa.parse<Record<string, string>>(await file.text(), {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (name) => name.trim().toLowerCase(),
  });
  const lacking = ['id', 'lat', 'lon'].filter((name) => !meta.fields?.includes(name));
  if (lacking.length > 0) {
    return { fault: `The file lacks the columns: ${lacking.join(', ')}. It needs id, lat, lon.` };
  }
  if (data.length === 0) return { fault: 'The file has no sites.' };
  const rowById = new Map<string, number>();
  const sites: Site[] = [];
  for (const [i, row] of data.entries()) {
    const number = i + 1;
    const id = row.id?.trim() ?? '';
    const lat = degrees(row.lat, 90);
    const lon = degrees(row.lon, 180);
    if (id === '') return faultAt(number, 'id is empty');
    if (rowById.has(id)) return faultAt(number, `id ${id} is also that of site ${rowById.get(id)}`);
    if (lat === null) return faultAt(number, 'lat must be a number from -90 to 90');
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

function degrees(text: string | undefined, most: number): number | null {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Math.abs(value) <= most ? value : null;
}
