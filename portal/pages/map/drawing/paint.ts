import type { ExpressionSpecification, LayerSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { CLASS_ENDS, type MAP_COLOURS, type MapColours } from '../../../map-classes.ts';
import { CLASS_STATE, isBlock, isUnlinkedFor, stripeOpacity } from './block-expressions.ts';
import { stripes } from './stripes.ts';

export type Scheme = keyof typeof MAP_COLOURS;

/** Colours of classes of blocks: from near to far, or from A to B. */
export type Palette = 'classes' | 'difference';

/** Blocks that are outlined, by GEOID: the selected one, and the origins A and B. */
export interface Outlines {
  readonly selected: string | null;
  readonly a: string | null;
  readonly b: string | null;
}

const BLOCKS = { source: 'blocks', 'source-layer': 'blocks' } as const;
const STRIPES = 'stripes';
const OUTLINES = ['a', 'b', 'selected'] as const;

/**
 * The layers of the map, from the ground up, between those of a base map under and over them.
 * Colours come from `paintWith`.
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
    { id: 'block-lines', type: 'line', ...BLOCKS },
    ...over,
    ...OUTLINES.flatMap((name): LayerSpecification[] => [
      { id: `${name}-halo`, type: 'line', ...BLOCKS, filter: isBlock(null) },
      { id: name, type: 'line', ...BLOCKS, filter: isBlock(null) },
    ]),
  ];
}

/** Paints all layers. `hasGround`: whether a block without a class is one that is too far. */
export function paintWith(
  map: MapLibreMap,
  colours: MapColours,
  { hasGround, palette }: { readonly hasGround: boolean; readonly palette: Palette },
): void {
  const { classes, beyond, outside, blockLine, chosen, difference, halo } = colours;
  const ends = CLASS_ENDS.flatMap((end, i) => [end, classes[i]]);
  map.setPaintProperty('outside', 'background-color', outside);
  map.setPaintProperty('beyond', 'fill-color', hasGround ? beyond : outside);
  map.setPaintProperty('bands', 'fill-color', matched(['get', 'minutes'], ends, beyond));
  map.setPaintProperty('bands', 'fill-antialias', false);
  const steps = (palette === 'classes' ? classes : difference).flatMap((one, i) => [i + 1, one]);
  map.setPaintProperty('classes', 'fill-color', matched(CLASS_STATE, steps, 'rgba(0, 0, 0, 0)'));
  map.setPaintProperty('classes', 'fill-antialias', false);
  if (map.hasImage(STRIPES)) map.removeImage(STRIPES);
  map.addImage(STRIPES, stripes(colours), { pixelRatio: 2 });
  map.setPaintProperty('unlinked', 'fill-pattern', STRIPES);
  map.setPaintProperty('block-lines', 'line-color', blockLine);
  map.setPaintProperty('block-lines', 'line-opacity', 0.55);
  map.setPaintProperty('block-lines', 'line-width', WIDTHS);
  const lines = { a: difference[1], b: difference[5], selected: chosen };
  for (const name of OUTLINES) {
    map.setPaintProperty(`${name}-halo`, 'line-color', halo);
    map.setPaintProperty(`${name}-halo`, 'line-width', 6);
    map.setPaintProperty(name, 'line-color', lines[name]);
    map.setPaintProperty(name, 'line-width', 3);
  }
}

const WIDTHS: ExpressionSpecification = ['interpolate', ['linear'], ['zoom'], 11, 0.25, 15, 1];

/**
 * Shows the layers of bands, or those of classes. Stripes mark the blocks without a street near for
 * `modes`; if there are none, the blocks whose class is `UNROUTED`.
 */
export function showLayers(map: MapLibreMap, of: 'bands' | 'classes', modes: readonly string[]) {
  map.setLayoutProperty('bands', 'visibility', of === 'bands' ? 'visible' : 'none');
  map.setLayoutProperty('classes', 'visibility', of === 'classes' ? 'visible' : 'none');
  map.setFilter('unlinked', isUnlinkedFor(modes));
  map.setPaintProperty('unlinked', 'fill-opacity', stripeOpacity(modes.length > 0));
}

export function outline(map: MapLibreMap, outlines: Outlines): void {
  for (const name of OUTLINES) {
    map.setFilter(name, isBlock(outlines[name]));
    map.setFilter(`${name}-halo`, isBlock(outlines[name]));
  }
}

function matched(value: unknown, pairs: readonly (string | number)[], otherwise: string) {
  return ['match', value, ...pairs, otherwise] as unknown as ExpressionSpecification;
}
