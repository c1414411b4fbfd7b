import { BOUNDS, LIMITS } from '../bounds.ts';
import { missing } from '../http/validation.ts';
import { kindOf } from './kinds.ts';
import { candidacy, parseSitesCsv } from './parse-sites-csv.ts';

export type SitesMember = 'sites' | 'candidates';

interface FormatFault {
  readonly path: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/**
 * A list of sites as in JSON, unchecked, with the line that each begins on in CSV; or what is wrong
 * with its format.
 */
type ParsedFormat =
  | { readonly list: unknown; readonly lines?: readonly number[] }
  | { readonly faults: readonly FormatFault[] };

/** Maximum length of CSV text, which is parsed in one step. */
export const MAX_CSV_LENGTH = 100 * LIMITS.sites;

/**
 * Lists the sites of CSV text, or of a GeoJSON FeatureCollection of points with an `id` or a
 * property of that name. A line without coordinates and a feature without a geometry may have an
 * `address`. Other columns and properties are ignored, except `candidate`, which must fit the
 * member, and `capacity`, if the sites have one. Any other value is returned unchanged.
 */
export function parseSites(value: unknown, member: SitesMember, hasCapacity = false): ParsedFormat {
  if (typeof value === 'string') return sitesOfCsv(value, member, hasCapacity);
  if (!isObject(value) || value.type !== 'FeatureCollection') return { list: value };
  const { features } = value;
  if (Array.isArray(features)) return sitesOfFeatures(features, member, hasCapacity);
  const fault = 'must be an array of features';
  const msg = features === undefined ? missing(fault) : `${fault}, not ${kindOf(features)}`;
  return { faults: [{ path: ['features'], msg, type: 'invalid_type' }] };
}

function sitesOfCsv(text: string, member: SitesMember, hasCapacity: boolean): ParsedFormat {
  if (text.length > MAX_CSV_LENGTH) {
    const msg = `CSV must have at most ${MAX_CSV_LENGTH} characters: send the columns id, lat and lon, or id and address, alone`;
    return { faults: [{ path: [], msg, type: 'too_big' }] };
  }
  const parsed = parseSitesCsv(text, LIMITS.sites, {
    isUnplacedKept: true,
    capacity: hasCapacity ? BOUNDS.capacity : undefined,
  });
  if ('faults' in parsed) {
    const faults = parsed.faults.map(({ line, msg, type }) => {
      return { path: [], msg: line === undefined ? `CSV ${msg}` : `line ${line}: ${msg}`, type };
    });
    return { faults };
  }
  const list: unknown[] = [];
  for (const { line, id, lat, lon, address, capacity, isCandidate } of parsed.sites) {
    const fault = faultOfMember(isCandidate, member);
    if (fault) return { faults: [{ path: [], msg: `line ${line}: ${fault}`, type: 'misplaced' }] };
    // An empty cell is an absent member; an address beside coordinates is a column like others.
    const sent = { id, ...(capacity !== '' && { capacity }) };
    const hasPoint = lat !== '' || lon !== '';
    if (!hasPoint && address !== '') list.push({ ...sent, address });
    else
      list.push({ ...sent, lat: lat === '' ? undefined : lat, lon: lon === '' ? undefined : lon });
  }
  return { list, lines: parsed.sites.map(({ line }) => line) };
}

function sitesOfFeatures(
  features: readonly unknown[],
  member: SitesMember,
  hasCapacity: boolean,
): ParsedFormat {
  if (features.length > LIMITS.sites) {
    return { faults: [{ path: [], msg: `must list at most ${LIMITS.sites}`, type: 'too_big' }] };
  }
  const list: unknown[] = [];
  for (const [i, feature] of features.entries()) {
    if (!isObject(feature)) {
      return { faults: [{ path: [i], msg: 'must be a GeoJSON feature', type: 'invalid_type' }] };
    }
    const { geometry } = feature;
    const coordinates = isObject(geometry) && geometry.type === 'Point' && geometry.coordinates;
    const properties = isObject(feature.properties) ? feature.properties : {};
    const fault = faultOfMember(candidacyOf(properties.candidate), member);
    if (fault) return { faults: [{ path: [i], msg: fault, type: 'misplaced' }] };
    // A feature without a point has no coordinates, and fails alone.
    const id = feature.id ?? properties.id;
    const { address, capacity = null } = properties;
    const sent = { id, ...(hasCapacity && capacity !== null && { capacity }) };
    if (isObject(geometry) || typeof address !== 'string') {
      const [lon, lat] = Array.isArray(coordinates) ? coordinates : [];
      list.push({ ...sent, lon, lat });
    } else {
      list.push({ ...sent, address });
    }
  }
  return { list };
}

/**
 * Returns why a site does not belong in the member; null if it does. Text other than yes and no
 * counts as not stated.
 */
function faultOfMember(isCandidate: boolean | null | undefined, member: SitesMember) {
  if (isCandidate === true && member === 'sites') return 'is a candidate: send it in candidates';
  if (isCandidate === false && member === 'candidates') return 'is no candidate: send it in sites';
  return null;
}

function candidacyOf(value: unknown): boolean | null | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' || typeof value === 'number' ? candidacy(String(value)) : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
