type MapLayer = 'landuse' | 'water' | 'roads' | 'places' | 'lines';

export type PropertyValue = string | number | boolean;

/** A property, and the first zoom whose tiles have it. */
export type MapProperty = readonly [key: string, value: PropertyValue, fromZoom: number];

/**
 * The common part of features that look alike: their layer, the first zoom at which they are drawn,
 * and their properties, in the schema of Protomaps' basemap version 4
 * (https://docs.protomaps.com/basemaps/layers).
 */
export interface MapKind {
  readonly layer: MapLayer;
  readonly minZoom: number;
  readonly properties: readonly MapProperty[];
}

export const MIN_MAP_ZOOM = 6;
export const MAX_MAP_ZOOM = 14;

/** Draw order among layers, which the schema suggests to renderers. */
const SORT_RANKS: Readonly<Record<Exclude<MapLayer, 'places' | 'lines'>, number>> = {
  landuse: 189,
  water: 200,
  roads: 400,
};

export function sortRank(layer: keyof typeof SORT_RANKS): MapProperty {
  return ['sort_rank', SORT_RANKS[layer], 0];
}

/**
 * The `min_zoom` of a line or label, which the schema counts by tiles of 256 pixels; it counts
 * other zooms by tiles of 512.
 */
export function suggestedZoom(minZoom: number): MapProperty {
  return ['min_zoom', minZoom + 1, 0];
}

export function text(key: string, value: string | undefined, fromZoom = 0): MapProperty[] {
  return value === undefined || value === '' ? [] : [[key, value, fromZoom]];
}

export function flag(key: string, isSet: boolean, fromZoom = 0): MapProperty[] {
  return isSet ? [[key, true, fromZoom]] : [];
}

/** Whether a tag is present and not `no`. */
export function isYes(value: string | undefined): boolean {
  return value !== undefined && value !== 'no';
}
