import { layers } from '@protomaps/basemaps';
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { BaseMap } from '../catalogue/catalogue.ts';
import { BASE_MAP_FLAVORS } from './base-map-flavors.ts';
import './base-map.css';

/**
 * The web font of `base-map.css`, in which MapLibre draws labels, since the style has no glyphs. It
 * takes the weight from the name; thinner strokes would be lost in their halos.
 */
export const FONT = 'Noto Sans Semibold';
/** The source of the release's own base map. */
export const BASE_MAP = 'basemap';

type Scheme = keyof typeof BASE_MAP_FLAVORS;

/** Parts of a style, with its layers split into those below and those above the page's own. */
interface BaseMapStyle extends Pick<StyleSpecification, 'sources' | 'glyphs' | 'sprite'> {
  readonly under: readonly LayerSpecification[];
  readonly over: readonly LayerSpecification[];
}

/** The address of an archive in a style. */
export function addressOf(url: string): string {
  return `pmtiles://${url}`;
}

export function baseMapStyle(baseMap: BaseMap | null, scheme: Scheme): BaseMapStyle {
  if (baseMap === null) return { sources: {}, under: [], over: [] };
  if ('archive' in baseMap) {
    const source = { type: 'vector', url: addressOf(baseMap.archive) } as const;
    return { sources: { [BASE_MAP]: source }, ...ownLayers(scheme) };
  }
  const { sources, glyphs, sprite, layers } = baseMap.style;
  return {
    sources,
    ...(glyphs && { glyphs }),
    ...(sprite && { sprite }),
    under: layers.filter(({ type }) => type !== 'line' && type !== 'symbol'),
    over: layers.filter(({ type }) => type === 'line' || type === 'symbol'),
  };
}

/** Protomaps' layers in the colours of a scheme, with the same ids in every scheme. */
function ownLayers(scheme: Scheme): Pick<BaseMapStyle, 'under' | 'over'> {
  const flavor = BASE_MAP_FLAVORS[scheme];
  const all = layers(BASE_MAP, flavor, { lang: 'en' }).filter(isDrawn).map(withOwnText);
  const isOver = (layer: LayerSpecification) =>
    layer.type === 'symbol' || OVER.has(sourceLayerOf(layer));
  return { under: all.filter((layer) => !isOver(layer)), over: all.filter(isOver) };
}

/** Source layers with lines that stay visible over coloured blocks. */
const OVER = new Set(['roads', 'boundaries']);
const IN_TILES = new Set(['earth', 'landuse', 'water', 'places', ...OVER]);
/** Layers that consist of icons, which the page does not have. */
const ICONS = new Set(['roads_oneway', 'roads_shields']);

function isDrawn(layer: LayerSpecification): boolean {
  return IN_TILES.has(sourceLayerOf(layer)) && !ICONS.has(layer.id);
}

function sourceLayerOf(layer: LayerSpecification): string {
  return 'source-layer' in layer ? (layer['source-layer'] ?? '') : '';
}

/** Makes the labels of a layer plain names in the page's font, without icons. */
function withOwnText(layer: LayerSpecification): LayerSpecification {
  if (layer.type !== 'symbol') return layer;
  const { layout = {}, paint } = layer;
  const kept = Object.entries(layout).filter(([key]) => !key.startsWith('icon-'));
  return {
    ...layer,
    layout: {
      ...Object.fromEntries(kept),
      'text-field': ['get', 'name'],
      'text-font': [FONT],
    },
    paint: { ...paint, 'text-halo-width': 2 },
  };
}
