import { isTransit } from '../../../../shards/modes.ts';
import type { Timing } from '../../../../shards/services.ts';
import type { Mode } from '../../../client/src/index.ts';
import { keylessClient } from '../../api/clients.ts';
import { portalConfig } from '../../api/portal.ts';
import { type DestinationType, FICTIONAL, isFictional, releaseFacts } from '../../api/release.ts';
import { dayMonthYear, type Units } from '../../formats.ts';
import { type BaseMap, loadBaseMap } from './base-map-style.ts';
import { byMode, slowWalk } from './mode-words.ts';
import { openingBox } from './opening-box.ts';
import { nearestOf, placesOf } from './type-nouns.ts';
import { inOrder, type Weight } from './weights.ts';
import { mappedWindows, serviceOf, type TransitWindow } from './windows.ts';

export interface MapType {
  readonly id: number;
  readonly name: string;
  /** Name of the parent, if it has one; of a parent, its own name. */
  readonly group: string | null;
  /** The leaf types that it consists of: itself, or those of a parent. */
  readonly leaves: readonly number[];
}

/**
 * The types of which a word, or a word of whose parent, begins with a text: first those whose own
 * name does.
 */
export function typesBeginning(types: readonly MapType[], typed: string): readonly MapType[] {
  const begun = ` ${typed.trim().toLowerCase()}`;
  const has = (text: string) => ` ${text}`.toLowerCase().includes(begun);
  const found = types.filter(({ name, group }) => has(`${name} ${group ?? ''}`));
  return typed.trim() === '' ? found : found.toSorted((a, b) => +has(b.name) - +has(a.name));
}

export interface Catalogue {
  readonly release: string;
  readonly isFictional: boolean;
  /** Whether there was a release before it. */
  readonly hasBefore: boolean;
  /** Units of the names and of the scale. */
  readonly units: Units;
  /** Bounds of the first view: those of its POIs, within those of its blocks (`openingBox`). */
  readonly bounds: readonly number[];
  readonly modes: readonly Mode[];
  /** Windows of departures by transit; empty if there is but one, of one percentile. */
  readonly windows: readonly TransitWindow[];
  /** Leaf types. */
  readonly types: readonly MapType[];
  /** Types that consist of several leaves, such as parks of any size. */
  readonly parents: readonly MapType[];
  /** Everyday types, of which a profile consists. */
  readonly everyday: readonly number[];
  readonly typeNames: ReadonlyMap<number, string>;
  readonly blocksUrl: string;
  readonly baseMap: BaseMap | null;
  /** The components of the release, with the dates of their data. */
  readonly dates: readonly { readonly name: string; readonly day: string }[];
  /** The counts per block, in the order in which they are offered. */
  readonly weights: readonly Weight[];
  /** The weights, and types as `type:ID`, that are counted within reach of every block. */
  readonly counted: readonly Weight[];
  /** The archive of the bands of a service (`serviceOf`) and a leaf type. */
  bandsUrl(service: string, type: number): string | undefined;
  /**
   * Archives of the POIs of some types, and of the lines and stops if transit is among the modes,
   * the lowest first.
   */
  poisOf(types: readonly number[], modes: readonly string[]): readonly PoiArchive[];
}

export interface PoiArchive {
  readonly url: string;
  readonly of: 'places' | 'stops' | 'lines';
}

const COMPONENTS: Readonly<Record<string, string>> = {
  road_network: 'streets',
  transit_network: 'timetables',
  pois: 'points of interest',
  blocks: 'blocks',
};

const EVERYDAY = [
  'grocery_stores',
  'pharmacies',
  'doctors',
  'elementary_schools',
  'playgrounds',
  'libraries',
  'cafes',
  'frequent_transit',
];

/** Names of parks in metric units, by label; the release has them in acres. */
const METRIC_NAMES: Readonly<Record<string, string>> = {
  parks_small: 'Parks under 1 hectare',
  parks_medium: 'Parks of 1 to 10 hectares',
  parks_large: 'Parks of 10 hectares and more',
};

const STOPS = ['bus_stops', 'rail_stations', 'ferry_terminals', 'frequent_transit'];

/** Loads the layers of the release; `null` if it has no tiles. */
export async function mapCatalogue(units: Units): Promise<Catalogue | null> {
  const [facts, fictional, { data: tiles }, { map_style_url }, { data: weighed }] =
    await Promise.all([
      releaseFacts(),
      isFictional(),
      keylessClient.getTileArchives(),
      portalConfig(),
      keylessClient.getWeights(),
    ]);
  const { release, before, components, modes } = facts;
  const types = facts.types.map((type) => {
    const metric = units === 'metric' ? METRIC_NAMES[type.label] : undefined;
    return metric === undefined ? type : { ...type, name: metric };
  });
  const { bounds, poi_bounds, archives } = tiles;
  const blocks = archives.find(({ layer }) => layer === 'blocks');
  const lines = archives.find(({ layer }) => layer === 'lines');
  const bands = new Map(
    archives
      .filter(({ layer }) => layer === 'bands')
      .map(({ mode, departure, percentile, dest_type_id, url }) => {
        const isBase = departure === undefined || percentile === undefined;
        const service = isBase ? mode : serviceOf(mode!, { departure, percentile });
        return [`${service}-${dest_type_id}`, url];
      }),
  );
  const pois = new Map(
    archives
      .filter(({ layer }) => layer === 'pois')
      .map(({ dest_type_id, url }) => [dest_type_id, url]),
  );
  if (blocks === undefined || bands.size === 0) return null;
  const weights = inOrder(weighed.weights);
  const hasWindows = archives.some(({ departure }) => departure !== undefined);
  const isMapped = (timing: Timing) => hasAny(bands, serviceOf('transit', timing));
  const leaves = types.filter(({ is_leaf }) => is_leaf);
  const mappedOf = (ids: readonly number[]) =>
    ids.filter((id) => modes.some(({ mode }) => bands.has(`${mode}-${id}`)));
  const stops = leaves
    .filter(({ label }) => STOPS.includes(label))
    .map(({ dest_type_id }) => dest_type_id);
  const names = new Map(types.map(({ dest_type_id, name }) => [dest_type_id, name]));
  const mapped = modes.map(({ mode }) => mode).filter((mode) => hasAny(bands, mode));
  return {
    release,
    isFictional: fictional,
    hasBefore: before !== null,
    units,
    bounds: openingBox(bounds, poi_bounds),
    modes: mapped,
    windows: hasWindows ? await mappedWindows(keylessClient, isMapped) : [],
    types: leaves.flatMap((type) => {
      const of = mappedOf([type.dest_type_id]);
      const { dest_type_id: id, name } = type;
      return of.length === 0 ? [] : [{ id, name, group: groupOf(type, names), leaves: of }];
    }),
    parents: types.flatMap(({ is_leaf, dest_type_id: id, name, leaf_ids }) => {
      const of = mappedOf(leaf_ids);
      return is_leaf || of.length < 2
        ? []
        : [{ id, name: `${name} (any)`, group: name, leaves: of }];
    }),
    everyday: EVERYDAY.flatMap((label) =>
      leaves.filter((type) => type.label === label).map(({ dest_type_id }) => dest_type_id),
    ),
    typeNames: new Map(leaves.map(({ dest_type_id, name }) => [dest_type_id, name])),
    blocksUrl: blocks.url,
    baseMap: await loadBaseMap(
      map_style_url,
      archives.find(({ layer }) => layer === 'basemap')?.url,
    ),
    dates: components.flatMap(({ component, effective_date }) =>
      Object.hasOwn(COMPONENTS, component)
        ? [{ name: COMPONENTS[component], day: effective_date }]
        : [],
    ),
    weights,
    counted: [
      ...weights.filter(({ area_access }) => area_access),
      ...types
        .filter(({ dest_type_id: id }) => weighed.area_access_types.includes(id))
        .map(({ dest_type_id, name: label }) => {
          return {
            weight: `type:${dest_type_id}`,
            label,
            unit: placesOf(label),
            area_access: true,
          };
        }),
    ],
    bandsUrl: (service, type) => bands.get(`${service}-${type}`),
    poisOf(of, by) {
      const hasTransit = by.some(isTransit);
      const shown = new Set([...(hasTransit ? stops : []), ...of]);
      return [
        ...(hasTransit && lines !== undefined ? [{ url: lines.url, of: 'lines' } as const] : []),
        ...[...shown].flatMap((type) => {
          const url = pois.get(type);
          const what = of.includes(type) ? ('places' as const) : ('stops' as const);
          return url === undefined ? [] : [{ url, of: what }];
        }),
      ];
    },
  };
}

function hasAny(bands: ReadonlyMap<string, string>, service: string): boolean {
  return [...bands.keys()].some((key) => key.startsWith(`${service}-`));
}

function groupOf({ parent_id }: DestinationType, names: ReadonlyMap<number, string>) {
  return parent_id === null ? null : (names.get(parent_id) ?? null);
}

const BY_MODE: Readonly<Record<string, string>> = {
  walk: 'Walk',
  bike: 'Bike',
  transit: 'Transit',
  walk_slow: 'Slow walk',
  step_free: 'Step-free walk',
  transit_step_free: 'Step-free transit',
};

export function modeName(mode: string): string {
  return BY_MODE[mode] ?? mode;
}

const TIMES: Readonly<Record<string, string>> = {
  walk: 'Walking time',
  bike: 'Biking time',
  transit: 'Transit time',
  step_free: 'Step-free walking time',
  transit_step_free: 'Step-free transit time',
};

/** `Walking time to the nearest grocery store`. */
export function mapTitle(mode: string, typeName: string): string {
  const time = mode === 'walk_slow' ? `Walking time at ${slowWalk()}` : TIMES[mode];
  return `${time ?? `Time ${byMode(mode)}`} to ${nearestOf(typeName)}`;
}

/** Credits that a picture, a file or a page with data of a release must show. */
export function attributionOf({ isFictional }: Pick<Catalogue, 'isFictional'>): string {
  return isFictional ? FICTIONAL : '© OpenStreetMap contributors (ODbL), US Census Bureau.';
}

/**
 * Sentences on a release and the dates of its data:
 * `Release demo. Data of May 12, 2025 (streets), Jan 1, 2020 (blocks).`
 */
export function dataDates({ release, dates }: Pick<Catalogue, 'release' | 'dates'>): string {
  const days = dates.map(({ name, day }) => `${dayMonthYear(day)} (${name})`).join(', ');
  return `Release ${release}. Data of ${days}.`;
}
