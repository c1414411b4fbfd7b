import type { StyleSpecification } from 'maplibre-gl';
import { isTransit } from '../../../../shards/modes.ts';
import type { Timing } from '../../../../shards/services.ts';
import type { DataOf, Mode } from '../../../client/src/index.ts';
import { keylessClient } from '../../api/clients.ts';
import { portalConfig } from '../../api/portal.ts';
import { type DestinationType, FICTIONAL, isFictional, releaseFacts } from '../../api/release.ts';
import { dayMonthYear, type Units } from '../../formats.ts';
import { openingBox } from './opening-box.ts';
import { placesOf } from './type-nouns.ts';
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

/** The map below the blocks: an archive of the release, or the style of another service. */
export type BaseMap = { readonly archive: string } | { readonly style: StyleSpecification };

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
  const { release, before, components } = facts;
  const { bounds, poi_bounds, archives } = tiles;
  const urlOf = (layer: string) => archives.find((one) => one.layer === layer)?.url;
  const blocksUrl = urlOf('blocks');
  const bands = bandsOf(archives);
  if (blocksUrl === undefined || bands.size === 0) return null;
  const types = facts.types.map((type) => {
    const metric = units === 'metric' ? METRIC_NAMES[type.label] : undefined;
    return metric === undefined ? type : { ...type, name: metric };
  });
  const modes = facts.modes.map(({ mode }) => mode);
  const weights = inOrder(weighed.weights);
  const hasWindows = archives.some(({ departure }) => departure !== undefined);
  const isMapped = (timing: Timing) => hasAny(bands, serviceOf('transit', timing));
  return {
    release,
    isFictional: fictional,
    hasBefore: before !== null,
    units,
    bounds: openingBox(bounds, poi_bounds),
    modes: modes.filter((mode) => hasAny(bands, mode)),
    windows: hasWindows ? await mappedWindows(keylessClient, isMapped) : [],
    ...mappedTypes(types, (id) => modes.some((mode) => bands.has(`${mode}-${id}`))),
    blocksUrl,
    baseMap: await loadBaseMap(map_style_url, urlOf('basemap')),
    dates: components.flatMap(({ component, effective_date: day }) =>
      Object.hasOwn(COMPONENTS, component) ? [{ name: COMPONENTS[component], day }] : [],
    ),
    weights,
    counted: [
      ...weights.filter(({ area_access }) => area_access),
      ...types
        .filter(({ dest_type_id: id }) => weighed.area_access_types.includes(id))
        .map(({ dest_type_id: id, name: label }) => {
          return { weight: `type:${id}`, label, unit: placesOf(label), area_access: true };
        }),
    ],
    bandsUrl: (service, type) => bands.get(`${service}-${type}`),
    poisOf: poisIn(archives, types),
  };
}

/**
 * Returns the base map of the portal's `MAP_STYLE_URL`, or else of the release; null if there is
 * neither. If the style cannot be loaded, the release's own map is used.
 */
async function loadBaseMap(
  styleUrl: string | undefined,
  archive: string | undefined,
): Promise<BaseMap | null> {
  const style = styleUrl === undefined ? null : await loadStyle(styleUrl).catch(() => null);
  if (style !== null) return { style };
  return archive === undefined ? null : { archive };
}

const TIMEOUT_MS = 10_000;

async function loadStyle(url: string): Promise<StyleSpecification | null> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return response.ok ? await response.json() : null;
}

type Archives = DataOf<'getTileArchives'>['archives'];

/** The archives of bands, by service and type. */
function bandsOf(archives: Archives): ReadonlyMap<string, string> {
  return new Map(
    archives
      .filter(({ layer }) => layer === 'bands')
      .map(({ mode, departure, percentile, dest_type_id, url }) => {
        const isBase = departure === undefined || percentile === undefined;
        const service = isBase ? mode : serviceOf(mode!, { departure, percentile });
        return [`${service}-${dest_type_id}`, url];
      }),
  );
}

/** The types of a release that have bands by some mode. */
function mappedTypes(
  all: readonly DestinationType[],
  isMapped: (id: number) => boolean,
): Pick<Catalogue, 'types' | 'parents' | 'everyday' | 'typeNames'> {
  const names = new Map(all.map(({ dest_type_id, name }) => [dest_type_id, name]));
  const leaves = all.filter(({ is_leaf }) => is_leaf);
  const idsOf = (label: string) => leaves.filter((type) => type.label === label).map(idOf);
  return {
    types: leaves
      .filter(({ dest_type_id }) => isMapped(dest_type_id))
      .map(({ dest_type_id: id, name, parent_id }) => {
        return { id, name, group: names.get(parent_id ?? -1) ?? null, leaves: [id] };
      }),
    parents: all
      .filter(({ is_leaf }) => !is_leaf)
      .map(({ dest_type_id: id, name, leaf_ids }) => {
        return { id, name: `${name} (any)`, group: name, leaves: leaf_ids.filter(isMapped) };
      })
      .filter((parent) => parent.leaves.length > 1),
    everyday: EVERYDAY.flatMap(idsOf),
    typeNames: new Map(leaves.map((type) => [idOf(type), type.name])),
  };
}

function idOf({ dest_type_id }: DestinationType): number {
  return dest_type_id;
}

function poisIn(archives: Archives, types: readonly DestinationType[]): Catalogue['poisOf'] {
  const lines = archives.find(({ layer }) => layer === 'lines');
  const pois = new Map(
    archives
      .filter(({ layer }) => layer === 'pois')
      .map(({ dest_type_id, url }) => [dest_type_id, url]),
  );
  const stops = types.filter(({ is_leaf, label }) => is_leaf && STOPS.includes(label)).map(idOf);
  return (of, by) => {
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
  };
}

function hasAny(bands: ReadonlyMap<string, string>, service: string): boolean {
  return [...bands.keys()].some((key) => key.startsWith(`${service}-`));
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
