import { type Codec, degrees, type Point, readPoint } from './codecs.ts';

/** A point of one's own: an existing site, or a candidate that might be added. */
export interface Site extends Point {
  readonly id: string;
  readonly isCandidate: boolean;
}

/** Number of blocks without a site near that are requested: candidates are chosen among them. */
export const MAX_UNCOVERED = 500;

/** Returns the sites with one more, whose id is the first free number above their count. */
export function withSite(
  sites: readonly Site[],
  { lat, lon }: Point,
  kind: 'site' | 'candidate',
): readonly Site[] {
  const taken = new Set(sites.map(({ id }) => id));
  let number = sites.length + 1;
  while (taken.has(String(number))) number++;
  return [
    ...sites,
    { id: String(number), lat: degrees(lat), lon: degrees(lon), isCandidate: kind === 'candidate' },
  ];
}

export function withMoved(sites: readonly Site[], id: string, { lat, lon }: Point) {
  return sites.map((one) =>
    one.id === id ? { ...one, lat: degrees(lat), lon: degrees(lon) } : one,
  );
}

export function without(sites: readonly Site[], id: string): readonly Site[] {
  return sites.filter((one) => one.id !== id);
}

/**
 * Limits on the sites in an address, and on the length of their text: mail and chat programs would
 * cut a longer address.
 */
export const MAX_ADDRESS_SITES = 50;
const MAX_LENGTH = 1800;

const CANDIDATE = '!';

/**
 * Sites as `latitude,longitude,id`, separated by semicolons, with an exclamation mark before each
 * candidate. Writes an empty text for more sites than an address holds.
 */
export const sitesCodec: Codec<readonly Site[]> = {
  read(text) {
    if (text === '') return [];
    const sites = text.split(';').map(readSite);
    const ids = new Set(sites.map((site) => site?.id));
    const isValid =
      text.length <= MAX_LENGTH &&
      sites.length <= MAX_ADDRESS_SITES &&
      ids.size === sites.length &&
      !ids.has(undefined);
    return isValid ? (sites as Site[]) : undefined;
  },
  write(sites) {
    const text = sites.length > MAX_ADDRESS_SITES ? '' : sites.map(writeSite).join(';');
    return text.length > MAX_LENGTH ? '' : text;
  },
};

export function fitsAddress(sites: readonly Site[]): boolean {
  return sites.length === 0 || sitesCodec.write(sites) !== '';
}

function readSite(text: string): Site | undefined {
  const isCandidate = text.startsWith(CANDIDATE);
  const [lat, lon, written, ...others] = text.slice(isCandidate ? 1 : 0).split(',');
  const point = readPoint([lat, lon ?? '']);
  const id = decoded(written ?? '');
  return point && id && others.length === 0 ? { id, ...point, isCandidate } : undefined;
}

function writeSite({ id, lat, lon, isCandidate }: Site): string {
  // Encoded twice: reading the address decodes once, and an id may have commas and semicolons.
  const written = encodeURIComponent(encodeURIComponent(id));
  return `${isCandidate ? CANDIDATE : ''}${degrees(lat)},${degrees(lon)},${written}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
