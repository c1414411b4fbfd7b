import { REQUEST_LIMITS } from '../../../../proxy/http/request-limits.ts';
import { COUNTED_NAME } from '../../../../shards/access/access-columns.ts';
import type { Timing } from '../../../../shards/services.ts';
import type { Criterion } from '../measures/basket.ts';
import { type Area, areaCodec } from './area.ts';
import {
  degrees,
  listOf,
  type Member,
  matching,
  oneOf,
  optional,
  type Point,
  pointCodec,
  readPoint,
  wholeNumber,
  withDefault,
} from './codecs.ts';
import type { Site } from './sites.ts';
import { sitesCodec } from './sites.ts';

export const VIEWS = [
  'nearest',
  'access',
  'basket',
  'reach',
  'compare',
  'catchment',
  'sites',
  'changes',
] as const;
export type View = (typeof VIEWS)[number];

export const DIRECTIONS = ['from', 'to'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Colouring of a comparison of A and B. */
export const COMPARED = ['difference', 'both', 'a', 'b'] as const;

/** Colouring of a basket: by minutes to the furthest, or by how many criteria are met. */
export const BASKET_BY = ['furthest', 'met'] as const;

/** Colouring of blocks near sites: by minutes to the nearest, or by how many are near. */
export const SITES_COLOURED = ['nearest', 'overlap'] as const;

/** Centre and zoom of the map. */
export interface MapPosition {
  readonly zoom: number;
  readonly lat: number;
  readonly lon: number;
}

/** Origin of a reach, or its destination: the GEOID of a block, or a point. */
export type Origin = string | Point;

/** State of the map, as in the fragment of its address. Null: not stated. */
export interface MapState {
  readonly view: View;
  readonly mode: string | null;
  /** Window and percentile of times by transit; null: those of every release. */
  readonly timing: Timing | null;
  readonly type: number | null;
  readonly position: MapPosition | null;
  /** GEOID of the selected block. */
  readonly block: string | null;
  /** Origin of a reach; A of a comparison. */
  readonly origin: Origin | null;
  readonly direction: Direction;
  /** Minutes of the slider, as last set in any view; a `Choice` has those of the current view. */
  readonly minutes: number;
  /** The weight that is counted within a reach; of the view of access also `type:ID`. */
  readonly weight: string | null;
  /** Origin of B; null: that of A. */
  readonly otherOrigin: Origin | null;
  /** Mode of B; null: that of A. */
  readonly otherMode: string | null;
  /** Window and percentile of B; null: those of A. */
  readonly otherTiming: Timing | null;
  readonly compared: (typeof COMPARED)[number];
  /** The releases that are compared, by version; null: not chosen. */
  readonly before: string | null;
  readonly after: string | null;
  readonly basket: readonly Criterion[] | null;
  readonly basketBy: (typeof BASKET_BY)[number];
  /** Area of exact sums; null: none is chosen. */
  readonly area: Area | null;
  /** `dest_id` of the POI at the origin. */
  readonly poi: number | null;
  /** Sites of one's own; an address holds up to `MAX_ADDRESS_SITES`. */
  readonly sites: readonly Site[];
  /** The POIs of a type as sites, in place of sites of one's own. */
  readonly sitesType: number | null;
  readonly sitesBy: SitesBy;
  readonly sitesColoured: (typeof SITES_COLOURED)[number];
  /** Kind of the site that a click on the map sets. */
  readonly adds: (typeof SITE_KINDS)[number];
  /** Opacity of the colors over the base map, percent. */
  readonly opacity: number;
}

export const SITE_KINDS = ['site', 'candidate'] as const;

/**
 * How sites are measured. Their direction does not follow that of a reach: people mostly travel to
 * sites.
 */
export interface SitesBy {
  readonly direction: Direction;
  readonly weight: string;
  /** Number of candidates to choose. */
  readonly choose: number;
  /** Minutes within which a block counts as near a site. */
  readonly within: number;
}

/** The longest reach, minutes. */
export const MAX_MINUTES = 60;
export const MIN_MINUTES = 5;
/** Minutes within which a block may count as near a site. */
export const SITE_MINUTES = [5, 10, 15, 20, 30, 45, 60];
/** The longest time to the POI of a catchment, minutes. */
export const MAX_CATCHMENT_MINUTES = 30;

/** Minutes within which a view shows blocks; that of access counts within minutes of its own. */
export function minutesOf({ view, minutes }: Pick<MapState, 'view' | 'minutes'>): number {
  return view === 'catchment' ? Math.min(minutes, MAX_CATCHMENT_MINUTES) : minutes;
}

export const [MIN_OPACITY, MAX_OPACITY] = [20, 100];

const FIRST_SITES_BY: SitesBy = { direction: 'to', weight: 'people', choose: 1, within: 15 };

const VERSION = '1';
const GEOID = /^\d{15}$/;

const originCodec = {
  read: (text: string) => (GEOID.test(text) ? text : pointCodec.read(text)),
  write: (origin: Origin) => (typeof origin === 'string' ? origin : pointCodec.write(origin)),
};
const geoid = matching(GEOID);
const mode = matching(/^[a-z_]{1,20}$/);
const timing = {
  read(text: string) {
    const [, departure, percentile] = /^([a-z][a-z0-9_]{0,23})-([1-9]\d?)$/.exec(text) ?? [];
    return departure === undefined ? undefined : { departure, percentile: Number(percentile) };
  },
  write: ({ departure, percentile }: Timing) => `${departure}-${percentile}`,
};
const weight = matching(COUNTED_NAME);
const release = matching(/^[0-9A-Za-z][0-9A-Za-z._-]{0,80}$/);
const criterion = { read: readCriterion, write: writeCriterion };
const typeId = wholeNumber(0, 999_999_999);
const destId = wholeNumber(0, 999_999_999_999_999);

/** The members of a fragment, in order. */
const MEMBERS: { readonly [K in keyof MapState]: Member<MapState[K]> } = {
  view: withDefault('v', 'view', 'nearest', oneOf(VIEWS)),
  mode: optional('m', 'mode', mode),
  timing: optional('h', 'window of departures', timing),
  type: optional('t', 'destination type', typeId),
  position: optional('map', 'map position', { read: readPosition, write: writePosition }),
  block: optional('b', 'selected block', geoid),
  origin: optional('o', 'origin', originCodec),
  direction: withDefault('d', 'direction', 'from', oneOf(DIRECTIONS)),
  minutes: withDefault('min', 'number of minutes', 30, wholeNumber(MIN_MINUTES, MAX_MINUTES)),
  weight: optional('w', 'weight', weight),
  otherOrigin: optional('o2', 'second origin', originCodec),
  otherMode: optional('m2', 'second mode', mode),
  otherTiming: optional('h2', 'second window of departures', timing),
  compared: withDefault('s', 'comparison', 'difference', oneOf(COMPARED)),
  before: optional('r1', 'earlier release', release),
  after: optional('r2', 'later release', release),
  basket: optional('k', 'basket', listOf(criterion, REQUEST_LIMITS.criteria)),
  basketBy: withDefault('c', 'colouring of the basket', 'furthest', oneOf(BASKET_BY)),
  area: optional('a', 'area', areaCodec),
  poi: optional('p', 'POI', destId),
  sites: withDefault('q', 'list of sites', [], sitesCodec),
  sitesType: optional('qt', 'type of the sites', typeId),
  sitesBy: withDefault('y', 'measure of the sites', FIRST_SITES_BY, {
    read: readSitesBy,
    write: ({ direction, weight: of, choose, within }) => `${direction}-${of}-${choose}-${within}`,
  }),
  sitesColoured: withDefault('qc', 'colouring of the sites', 'nearest', oneOf(SITES_COLOURED)),
  adds: withDefault('n', 'kind of sites to set', 'site', oneOf(SITE_KINDS)),
  opacity: withDefault('op', 'opacity', MAX_OPACITY, wholeNumber(MIN_OPACITY, MAX_OPACITY)),
};

/**
 * A state as read from an address, and sentences on the parts of the address that could not be
 * used.
 */
export interface ReadState {
  readonly state: MapState;
  readonly faults: readonly string[];
}

/** Reads a fragment such as `#x=1&m=walk&t=101&map=12.5/36.1/-70.2&b=990010012003080`. */
export function readMapState(fragment: string): ReadState {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  const faults: string[] = [];
  const version = given.get('x');
  if (version !== null && version !== VERSION) {
    faults.push(
      'This link was made with another version of this page. Parts of it may be missing.',
    );
  }
  const known = new Set(['x']);
  const entries = Object.entries(MEMBERS).map(([name, { key, what, initial, read }]) => {
    known.add(key);
    const text = given.get(key);
    const value = text === null ? initial : read(text);
    if (value === undefined) faults.push(`The ${what} in the address is not valid (${key}).`);
    return [name, value ?? initial];
  });
  const others = [...given.keys()].filter((key) => version !== null && !known.has(key));
  if (others.length > 0) {
    faults.push(`Unknown parts of the address were ignored: ${others.join(', ')}.`);
  }
  return { state: Object.fromEntries(entries), faults };
}

/** Writes a state as a fragment, without members that have their initial value. */
export function writeMapState(state: MapState): string {
  const members = Object.entries(MEMBERS).flatMap(([name, member]) => {
    const { key, initial, write } = member as Member<unknown>;
    const text = write(state[name as keyof MapState]);
    return text === write(initial) ? [] : [`${key}=${text}`];
  });
  return `#${[`x=${VERSION}`, ...members].join('&')}`;
}

function readPosition(text: string): MapPosition | undefined {
  const [zoom, ...rest] = text.split('/');
  const point = readPoint(rest);
  const isZoom = /^\d/.test(zoom) && Number(zoom) >= 0 && Number(zoom) <= 24;
  return point && isZoom ? { zoom: Number(zoom), ...point } : undefined;
}

function writePosition({ zoom, lat, lon }: MapPosition): string {
  return `${+zoom.toFixed(4)}/${degrees(lat)}/${degrees(lon)}`;
}

/** The minutes came last to addresses, which may lack them. */
const SITES_BY = /^(from|to)-([a-z][a-z0-9_]{0,39})-(\d{1,3})(?:-(\d{1,2}))?$/;

function readSitesBy(text: string): SitesBy | undefined {
  const [, direction, weight, ...numbers] = SITES_BY.exec(text) ?? [];
  const [choose, within] = numbers.map((one, i) => Number(one ?? [0, FIRST_SITES_BY.within][i]));
  const isValid = choose >= 1 && choose <= REQUEST_LIMITS.chosen && SITE_MINUTES.includes(within);
  return isValid ? { direction: direction as Direction, weight, choose, within } : undefined;
}

const CRITERION = /^([a-z_]{1,20})-(\d{1,9})-(5|10|15|20|25|30)$/;

function readCriterion(text: string): Criterion | undefined {
  const [, by, type, within] = CRITERION.exec(text) ?? [];
  return by === undefined ? undefined : { mode: by, type: Number(type), minutes: Number(within) };
}

/** Writes a criterion: `walk-101-15`. */
export function writeCriterion({ mode: by, type, minutes }: Criterion): string {
  return `${by}-${type}-${minutes}`;
}
