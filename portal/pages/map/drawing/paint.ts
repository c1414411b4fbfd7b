import type {
  ExpressionSpecification,
  GeoJSONSource,
  LayerSpecification,
  Map as MapLibreMap,
} from 'maplibre-gl';
import { BAND_ENDS } from '../../../../shards/bands/time-bands.ts';
import type { Polygon } from '../../../../shards/geometry/polygon.ts';
import type { MAP_COLOURS, MapColours } from '../../../map-classes.ts';
import { CLASS_STATE, isBlock, isUnlinkedFor, stripeOpacity } from './block-fills.ts';

export type Scheme = keyof typeof MAP_COLOURS;

/** Colours of classes of blocks: from near to far, or from A to B. */
export type Palette = 'classes' | 'difference';

/** The outlined blocks by GEOID, the selected one and the origins A and B, and the chosen area. */
export interface Outlines {
  readonly selected: string | null;
  readonly a: string | null;
  readonly b: string | null;
  readonly area: readonly Polygon[] | null;
}

const BLOCKS = { source: 'blocks', 'source-layer': 'blocks' } as const;
/** Fill layers of single blocks; each block is in one that is shown. */
export const BLOCK_FILLS = ['beyond', 'classes', 'unlinked'] as const;
/**
 * Lowest zoom with lines between blocks; below it, they are hardly visible and cost many frames.
 */
export const LINES_ZOOM = 13;
const STRIPES = 'stripes';
const OUTLINES = ['a', 'b', 'selected'] as const;
export const AREA = 'area';

/**
 * The layers of the map, bottom up, between the layers of a base map under and over them. Colours
 * come from `paintWith`.
 */
export function layersOf(
  under: readonly LayerSpecification[],
  over: readonly LayerSpecification[],
): LayerSpecification[] {
  return [
    { id: 'outside', type: 'background' },
    ...under,
    { id: 'beyond', type: 'fill', ...BLOCKS },
    { id: 'bands', type: 'fill', source: 'bands', 'source-layer': 'bands' },
    { id: 'classes', type: 'fill', ...BLOCKS },
    { id: 'unlinked', type: 'fill', ...BLOCKS },
    { id: 'block-lines', type: 'line', ...BLOCKS, minzoom: LINES_ZOOM },
    ...over,
    { id: `${AREA}-halo`, type: 'line', source: AREA },
    { id: AREA, type: 'line', source: AREA },
    ...OUTLINES.flatMap((name): LayerSpecification[] => [
      { id: `${name}-halo`, type: 'line', ...BLOCKS, filter: isBlock(null) },
      { id: name, type: 'line', ...BLOCKS, filter: isBlock(null) },
    ]),
  ];
}

/** Paints all layers. `hasGround`: whether a block without a class is known to be too far. */
export function paintWith(
  map: MapLibreMap,
  colours: MapColours,
  { hasGround, palette }: { readonly hasGround: boolean; readonly palette?: Palette | undefined },
): void {
  const { classes, beyond, outside, blockLine, chosen, difference, halo } = colours;
  const ends = BAND_ENDS.flatMap((end, i) => [end, classes[i]]);
  const ground = hasGround ? beyond : outside;
  map.setPaintProperty('outside', 'background-color', outside);
  map.setPaintProperty('beyond', 'fill-color', ground);
  map.setPaintProperty('bands', 'fill-color', matched(['get', 'minutes'], ends, beyond));
  const steps = (palette === 'difference' ? difference : classes).flatMap((one, i) => [i + 1, one]);
  map.setPaintProperty('classes', 'fill-color', matched(CLASS_STATE, steps, ground));
  // Neighbours share their edges, so there are no gaps to hide, and outlines cost many frames.
  for (const fill of ['bands', ...BLOCK_FILLS]) map.setPaintProperty(fill, 'fill-antialias', false);
  if (map.hasImage(STRIPES)) map.removeImage(STRIPES);
  map.addImage(STRIPES, stripes(colours), { pixelRatio: 2 });
  map.setPaintProperty('unlinked', 'fill-pattern', STRIPES);
  map.setPaintProperty('block-lines', 'line-color', blockLine);
  map.setPaintProperty('block-lines', 'line-opacity', 0.55);
  map.setPaintProperty('block-lines', 'line-width', WIDTHS);
  const lines = { a: difference[1], b: difference[5], selected: chosen, [AREA]: chosen };
  for (const name of [...OUTLINES, AREA] as const) {
    map.setPaintProperty(`${name}-halo`, 'line-color', halo);
    map.setPaintProperty(`${name}-halo`, 'line-width', 6);
    map.setPaintProperty(name, 'line-color', lines[name]);
    map.setPaintProperty(name, 'line-width', 3);
  }
}

const WIDTHS: ExpressionSpecification = ['interpolate', ['linear'], ['zoom'], 11, 0.25, 15, 1];

/**
 * Shows bands over their ground, or classes. Stripes mark the blocks without a street near for
 * `modes`. No block is filled twice where bands are shown, since each costs time in each frame.
 */
export function showLayers(map: MapLibreMap, of: 'bands' | 'classes', modes: readonly string[]) {
  const areBands = of === 'bands';
  map.setLayoutProperty('bands', 'visibility', areBands ? 'visible' : 'none');
  map.setLayoutProperty('beyond', 'visibility', areBands ? 'visible' : 'none');
  map.setLayoutProperty('classes', 'visibility', areBands ? 'none' : 'visible');
  map.setFilter('beyond', ['!', isUnlinkedFor(modes)]);
  map.setFilter('unlinked', isUnlinkedFor(modes));
}

/**
 * Lets the base map be seen through the blocks. If `hasModes` is false, only the blocks whose class
 * is `UNROUTED_CLASS` have stripes.
 */
export function setOpacity(map: MapLibreMap, opacity: number, hasModes: boolean): void {
  for (const fill of ['bands', 'beyond', 'classes']) {
    map.setPaintProperty(fill, 'fill-opacity', opacity);
  }
  map.setPaintProperty('unlinked', 'fill-opacity', stripeOpacity(opacity, hasModes));
}

export function outline(map: MapLibreMap, outlines: Outlines): void {
  for (const name of OUTLINES) {
    map.setFilter(name, isBlock(outlines[name]));
    map.setFilter(`${name}-halo`, isBlock(outlines[name]));
  }
  map.getSource<GeoJSONSource>(AREA)!.setData(borderOf(outlines.area));
}

export function borderOf(area: readonly Polygon[] | null): GeoJSON.MultiLineString {
  const coordinates = (area ?? []).flat() as unknown as GeoJSON.Position[][];
  return { type: 'MultiLineString', coordinates };
}

function matched(value: unknown, pairs: readonly (string | number)[], otherwise: string) {
  return ['match', value, ...pairs, otherwise] as unknown as ExpressionSpecification;
}

const PIXELS = 16;
const STRIPE_PIXELS = 5;

function stripes({ stripe, beyond }: MapColours): ImageData {
  const image = new ImageData(PIXELS, PIXELS);
  const [on, off] = [bytesOf(stripe), bytesOf(beyond)];
  for (let y = 0; y < PIXELS; y++) {
    for (let x = 0; x < PIXELS; x++) {
      const colour = (x + y) % PIXELS < STRIPE_PIXELS ? on : off;
      image.data.set(colour, (y * PIXELS + x) * 4);
    }
  }
  return image;
}

function bytesOf(colour: string): [number, number, number, number] {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return [red, green, blue, 255];
}
