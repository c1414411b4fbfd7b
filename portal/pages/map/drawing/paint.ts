import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';
import { BAND_ENDS } from '../../../../shards/bands/time-bands.ts';
import type { Polygon } from '../../../../shards/geometry/polygon.ts';
import { MAP_COLOURS } from '../../../map-classes.ts';
import type { BaseMap, PoiArchive } from '../catalogue/catalogue.ts';
import type { BlockClasses } from '../measures/block-classes.ts';
import { addressOf, baseMapStyle } from './base-map.ts';
import { CLASS_STATE, isBlock, isUnlinkedFor, LINES_ZOOM, stripeOpacity } from './block-fills.ts';
import { poiLayers, poiSources } from './poi-layers.ts';

export type Scheme = keyof typeof MAP_COLOURS;

/** Colours of classes of blocks: from near to far, or from A to B. */
type Palette = 'classes' | 'difference';

/**
 * Colouring of the blocks, the bands of an archive or classes that the page has computed, and the
 * archives of the lines and the POIs over them.
 */
export type Shown = { readonly modes: readonly string[]; readonly pois: readonly PoiArchive[] } & (
  | { readonly of: 'bands'; readonly bandsUrl: string }
  | {
      readonly of: 'classes';
      /** Name of the picture, for tests to wait for. */
      readonly name: string;
      /** `classes` by default. */
      readonly palette?: Palette;
      /** Null until the blocks are loaded. */
      readonly blocks: BlockClasses | null;
    }
);

/** The outlined blocks by GEOID, the selected one and the origins A and B, and the chosen area. */
export interface Outlines {
  readonly selected: string | null;
  readonly a: string | null;
  readonly b: string | null;
  readonly area: readonly Polygon[] | null;
}

/** Everything that decides how a map looks. */
export interface Look {
  readonly shown: Shown;
  readonly outlines: Outlines;
  /** Opacity of the colors over the base map, from 0 to 1. */
  readonly opacity: number;
  readonly scheme: Scheme;
}

/** The archives that a map is drawn from. */
export interface MapArchives {
  readonly blocksUrl: string;
  /** `null`: there is no base map under the blocks. */
  readonly baseMap: BaseMap | null;
}

const BLOCKS = { source: 'blocks', 'source-layer': 'blocks' } as const;
/** Fill layers of single blocks; each block is in one that is shown. */
export const BLOCK_FILLS = ['beyond', 'classes', 'unlinked'];
const AREA = 'area';

/** The id of the source of an archive of bands, and of their layer. */
export function bandsOf(url: string): string {
  return `bands ${url}`;
}

/**
 * Returns the style of a map. `drawnBands`: the archive whose bands are seen until those of the
 * look are loaded, which is a source of its own, since MapLibre may draw tiles that it was loading
 * when the address of a source changed; null: none, and no block is known to be too far.
 */
export function mapStyle(
  { blocksUrl, baseMap }: MapArchives,
  look: Look,
  drawnBands: string | null,
): StyleSpecification {
  const { shown, outlines, scheme } = look;
  const wanted = shown.of === 'bands' ? shown.bandsUrl : null;
  const bands = [...new Set([wanted, drawnBands])].flatMap((url) => url ?? []);
  const { sources, under, over, ...more } = baseMapStyle(baseMap, scheme);
  const { lines, lineNames, dots } = poiLayers(shown.pois, scheme);
  return {
    version: 8,
    ...more,
    transition: { duration: 0 },
    // In the order in which their tiles are requested: colours first.
    sources: {
      ...Object.fromEntries(
        bands.map((url) => [bandsOf(url), { type: 'vector' as const, url: addressOf(url) }]),
      ),
      blocks: { type: 'vector', url: addressOf(blocksUrl) },
      ...sources,
      [AREA]: { type: 'geojson', data: borderOf(outlines.area) },
      ...poiSources(shown.pois),
    },
    layers: [
      {
        id: 'outside',
        type: 'background',
        paint: { 'background-color': MAP_COLOURS[scheme].outside },
      },
      ...under,
      ...blockLayers(look, bands, drawnBands),
      ...over.filter(({ type }) => type !== 'symbol'),
      ...lines,
      ...areaOutline(scheme),
      ...over.filter(({ type }) => type === 'symbol'),
      ...lineNames,
      ...blockOutlines(look),
      ...dots,
    ],
  };
}

/**
 * Bands over their ground, or classes, and stripes on the blocks without a street near. No block is
 * filled twice where bands are shown, since each costs time in each frame.
 */
function blockLayers(
  { shown, opacity, scheme }: Look,
  bands: readonly string[],
  drawnBands: string | null,
): LayerSpecification[] {
  const { classes, beyond, blockLine, difference } = MAP_COLOURS[scheme];
  const areBands = shown.of === 'bands';
  // Blocks of which nothing is known have no colour, not that of blocks too far.
  const ground = (areBands ? drawnBands : shown.blocks) === null ? 0 : opacity;
  const ends = BAND_ENDS.flatMap((end, i) => [end, classes[i]]);
  const palette = !areBands && shown.palette === 'difference' ? difference : classes;
  const steps = palette.flatMap((one, i) => [i + 1, one]);
  const unlinked = isUnlinkedFor(shown.modes);
  const seenIf = (isSeen: boolean) => ({ visibility: isSeen ? 'visible' : 'none' }) as const;
  const fill = (id: string, colour: string | ExpressionSpecification, seen: number) => ({
    id,
    type: 'fill' as const,
    ...BLOCKS,
    // Neighbours share their edges, so there are no gaps to hide, and outlines cost many frames.
    paint: { 'fill-color': colour, 'fill-opacity': seen, 'fill-antialias': false },
  });
  const striped = {
    'fill-pattern': stripesOf(scheme),
    'fill-opacity': stripeOpacity(opacity, shown.modes.length > 0),
    'fill-antialias': false,
  };
  return [
    { ...fill('beyond', beyond, ground), filter: ['!', unlinked], layout: seenIf(areBands) },
    ...bands.map((url) => ({
      ...fill(
        bandsOf(url),
        matched(['get', 'minutes'], ends, beyond),
        url === drawnBands ? opacity : 0,
      ),
      source: bandsOf(url),
      'source-layer': 'bands',
      layout: seenIf(areBands),
    })),
    { ...fill('classes', matched(CLASS_STATE, steps, beyond), ground), layout: seenIf(!areBands) },
    { id: 'unlinked', type: 'fill', ...BLOCKS, filter: unlinked, paint: striped },
    line('block-lines', blockLine, WIDTHS, { ...BLOCKS, minzoom: LINES_ZOOM }, 0.55),
  ];
}

const WIDTHS: ExpressionSpecification = ['interpolate', ['linear'], ['zoom'], 11, 0.25, 15, 1];

function areaOutline(scheme: Scheme): LayerSpecification[] {
  const { chosen, halo } = MAP_COLOURS[scheme];
  return outline(AREA, chosen, halo, { source: AREA });
}

function blockOutlines({ outlines, scheme }: Look): LayerSpecification[] {
  const { chosen, difference, halo } = MAP_COLOURS[scheme];
  const block = (id: 'a' | 'b' | 'selected', colour: string) =>
    outline(id, colour, halo, { ...BLOCKS, filter: isBlock(outlines[id]) });
  return [...block('a', difference[1]), ...block('b', difference[5]), ...block('selected', chosen)];
}

function outline(id: string, colour: string, halo: string, of: object): LayerSpecification[] {
  return [line(`${id}-halo`, halo, 6, of), line(id, colour, 3, of)];
}

function line(
  id: string,
  colour: string,
  width: number | ExpressionSpecification,
  of: object,
  opacity = 1,
) {
  const paint = { 'line-color': colour, 'line-width': width, 'line-opacity': opacity };
  return { id, type: 'line', ...of, paint } as LayerSpecification;
}

function borderOf(area: readonly Polygon[] | null): GeoJSON.MultiLineString {
  const coordinates = (area ?? []).flat() as unknown as GeoJSON.Position[][];
  return { type: 'MultiLineString', coordinates };
}

function matched(value: unknown, pairs: readonly (string | number)[], otherwise: string) {
  return ['match', value, ...pairs, otherwise] as unknown as ExpressionSpecification;
}

const SCHEMES = ['light', 'dark'] as const;
const PIXELS = 16;
const STRIPE_PIXELS = 5;

/** The name of the image of stripes. */
function stripesOf(scheme: Scheme): string {
  return `stripes-${scheme}`;
}

/** The images that styles name. */
export function stripeImages(): readonly (readonly [name: string, image: ImageData])[] {
  return SCHEMES.map((scheme) => {
    const { stripe, beyond } = MAP_COLOURS[scheme];
    const image = new ImageData(PIXELS, PIXELS);
    const [on, off] = [bytesOf(stripe), bytesOf(beyond)];
    for (let y = 0; y < PIXELS; y++) {
      for (let x = 0; x < PIXELS; x++) {
        const colour = (x + y) % PIXELS < STRIPE_PIXELS ? on : off;
        image.data.set(colour, (y * PIXELS + x) * 4);
      }
    }
    return [stripesOf(scheme), image];
  });
}

function bytesOf(colour: string): [number, number, number, number] {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return [red, green, blue, 255];
}
