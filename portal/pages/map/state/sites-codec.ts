import type { Codec } from './members.ts';
import { degrees, readPoint } from './point.ts';
import type { Site } from './sites.ts';

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

/** Whether an address holds all of the sites. */
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
