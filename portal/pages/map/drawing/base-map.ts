import { DARK, type Flavor, LIGHT, layers } from '@protomaps/basemaps';
import type { LayerSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { MAP_COLOURS } from '../../../map-classes.ts';
import './base-map.css';

type Scheme = keyof typeof MAP_COLOURS;

export const BASE_MAP = 'basemap';

/** The web font of `base-map.css`, which MapLibre draws labels in, for the style has no glyphs. */
const FONT = 'Noto Sans Variable';

/** Layers of the base map, in drawing order: below what the page colours, and above it. */
export interface BaseMapLayers {
  readonly under: readonly LayerSpecification[];
  readonly over: readonly LayerSpecification[];
}

/** The style of the base map, in Protomaps' schema. Layers have the same ids in both schemes. */
export function baseMapLayers(scheme: Scheme): BaseMapLayers {
  const all = layers(BASE_MAP, FLAVORS[scheme], { lang: 'en' }).filter(isDrawn).map(withOwnText);
  const isOver = (layer: LayerSpecification) =>
    layer.type === 'symbol' || OVER.has(sourceLayerOf(layer));
  return { under: all.filter((layer) => !isOver(layer)), over: all.filter(isOver) };
}

/** Paints a map's base map in the colours of a scheme. */
export function paintBaseMap(map: MapLibreMap, scheme: Scheme): void {
  const { under, over } = baseMapLayers(scheme);
  for (const { id, paint = {} } of [...under, ...over]) {
    for (const [property, value] of Object.entries(paint)) {
      map.setPaintProperty(id, property as 'line-color', value);
    }
  }
}

/** Layers of lines: they stay visible over coloured blocks. */
const OVER = new Set(['roads', 'boundaries']);
const IN_TILES = new Set(['earth', 'landuse', 'water', 'places', ...OVER]);
/** They need pictures, which the page does not have. */
const WITH_ICONS = new Set(['roads_oneway', 'roads_shields']);

function sourceLayerOf(layer: LayerSpecification): string {
  return 'source-layer' in layer ? (layer['source-layer'] ?? '') : '';
}

function isDrawn(layer: LayerSpecification): boolean {
  return IN_TILES.has(sourceLayerOf(layer)) && !WITH_ICONS.has(layer.id);
}

/** Names as they are, in the page's font and without icons. */
function withOwnText(layer: LayerSpecification): LayerSpecification {
  if (layer.type !== 'symbol') return layer;
  const layout = Object.entries(layer.layout ?? {}).filter(([key]) => !key.startsWith('icon-'));
  return {
    ...layer,
    layout: {
      ...Object.fromEntries(layout),
      'text-field': ['get', 'name'],
      'text-font': [FONT],
    },
    paint: { ...layer.paint, 'text-halo-width': 1.5 },
  };
}

/** Colours of what lies over coloured blocks, so that it is legible on each of them. */
interface Ink {
  readonly road: string;
  readonly casing: string;
  readonly rail: string;
  readonly boundary: string;
  readonly text: string;
  readonly faintText: string;
  readonly halo: string;
}

function flavorOf(base: Flavor, { road, casing, ...ink }: Ink, ground: Partial<Flavor>): Flavor {
  const roads = Object.keys(base)
    .filter((key) => /^(tunnel|bridges|minor|link|major|highway|other)/.test(key))
    .map((key) => [key, key.includes('casing') ? casing : road]);
  return {
    ...base,
    ...Object.fromEntries(roads),
    ...ground,
    railway: ink.rail,
    boundaries: ink.boundary,
    roads_label_minor: ink.text,
    roads_label_minor_halo: ink.halo,
    roads_label_major: ink.text,
    roads_label_major_halo: ink.halo,
    ocean_label: ink.faintText,
    subplace_label: ink.faintText,
    subplace_label_halo: ink.halo,
    city_label: ink.text,
    city_label_halo: ink.halo,
    state_label: ink.faintText,
    state_label_halo: ink.halo,
  };
}

const FLAVORS: Readonly<Record<Scheme, Flavor>> = {
  light: flavorOf(
    LIGHT,
    {
      road: '#ffffff',
      casing: '#8c979f',
      rail: '#6b757d',
      boundary: '#5b4a66',
      text: '#1c2733',
      faintText: '#33404c',
      halo: '#ffffff',
    },
    { earth: '#e6e4de', water: MAP_COLOURS.light.water },
  ),
  dark: flavorOf(
    DARK,
    {
      road: '#0e151a',
      casing: '#6d7d88',
      rail: '#8a97a0',
      boundary: '#c7b6d4',
      text: '#f2f5f7',
      faintText: '#c3ccd3',
      halo: '#0b1116',
    },
    { earth: '#12181c', water: MAP_COLOURS.dark.water },
  ),
};
