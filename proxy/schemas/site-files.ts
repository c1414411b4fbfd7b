import Papa from 'papaparse';
import { LIMITS } from '../bounds.ts';
import { kindOf } from './list.ts';

/** A list of sites as in JSON, unchecked, or what is wrong with the file, and where. */
export type ListedSites =
  | { readonly sites: unknown }
  | { readonly fault: string; readonly path: readonly (string | number)[] };

const COLUMNS = ['id', 'lat', 'lon'] as const;

/**
 * Lists the sites of CSV text with the columns `id`, `lat` and `lon`, or of a GeoJSON
 * FeatureCollection of points with an `id` or a property of this name. Other columns and properties
 * are ignored. Any other value is returned as it is.
 */
export function listedSites(value: unknown): ListedSites {
  if (typeof value === 'string') return sitesOfCsv(value);
  if (!isObject(value) || value.type !== 'FeatureCollection') return { sites: value };
  const { features } = value;
  if (!Array.isArray(features)) {
    return { fault: `must be an array of features, not ${kindOf(features)}`, path: ['features'] };
  }
  return sitesOfFeatures(features);
}

/**
 * Bounds of CSV text, which is parsed in one step: of all of it, of its header, and of its quotes,
 * since the parser takes longest over those that do not match.
 */
export const MAX_CHARACTERS = 100 * LIMITS.sites;
const MAX_HEADER = 1_000;
const MAX_QUOTES = 10 * LIMITS.sites;

function sitesOfCsv(text: string): ListedSites {
  const fault = sizeFault(text);
  if (fault !== null) return { fault, path: [] };
  const { data, meta } = Papa.parse<Readonly<Partial<Record<string, string>>>>(text, {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (name) => name.trim().toLowerCase(),
    preview: LIMITS.sites + 1,
  });
  const columns = meta.fields ?? [];
  const lacking = COLUMNS.filter((name) => !columns.includes(name));
  if (lacking.length > 0) {
    const has = columns.join(', ').slice(0, 100);
    return { fault: `CSV lacks the columns ${lacking.join(', ')}; it has ${has}`, path: [] };
  }
  // Values beyond the last column: a comma in a name without quotes moves all that follow it.
  const long = data.findIndex((row) => row.__parsed_extra !== undefined);
  if (long !== -1) return { fault: 'has more values than there are columns', path: [long] };
  const sites = data.map(({ id, lat, lon }) => ({
    id: id?.trim() || undefined,
    lat: numberOf(lat),
    lon: numberOf(lon),
  }));
  return { sites };
}

/** Why text is too large to parse; null if it is not. */
function sizeFault(text: string): string | null {
  const advice = 'send the columns id, lat and lon alone';
  if (text.length > MAX_CHARACTERS) {
    return `CSV must have at most ${MAX_CHARACTERS} characters: ${advice}`;
  }
  if (text.search(/[\r\n]|$/) > MAX_HEADER) {
    return `the first line of CSV must have at most ${MAX_HEADER} characters: ${advice}`;
  }
  let quotes = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes++;
  return quotes > MAX_QUOTES ? `CSV must have at most ${MAX_QUOTES} quotes: ${advice}` : null;
}

/** A cell as a number; other text is returned for the error that names it. */
function numberOf(cell = ''): unknown {
  const text = cell.trim();
  if (text === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

function sitesOfFeatures(features: readonly unknown[]): ListedSites {
  const sites: unknown[] = [];
  for (const [i, feature] of features.entries()) {
    const geometry = isObject(feature) ? feature.geometry : undefined;
    if (!isObject(feature) || !isObject(geometry) || geometry.type !== 'Point') {
      return { fault: 'must be a GeoJSON feature with a Point', path: [i] };
    }
    const { properties } = feature;
    const id = feature.id ?? (isObject(properties) ? properties.id : undefined);
    const [lon, lat] = Array.isArray(geometry.coordinates) ? geometry.coordinates : [];
    sites.push({ id, lon, lat });
  }
  return { sites };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
