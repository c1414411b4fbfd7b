import 'maplibre-gl/dist/maplibre-gl.css';
import {
  addProtocol,
  type ExpressionSpecification,
  Map as MapLibreMap,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
  type VectorTileSource,
} from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { PMTiles, Protocol } from 'pmtiles';
import { CLASS_ENDS, MAP_COLOURS, type MapColours } from '../../../map-classes.ts';
import type { BaseMap } from '../base-map-style.ts';
import type { MapView } from '../state/map-state.ts';
import { ArchiveSource } from './archive-source.ts';
import { baseMapStyle, paintBaseMap } from './base-map.ts';

export type Scheme = keyof typeof MAP_COLOURS;

/** A block as its tile has it. */
export interface TileBlock {
  readonly geoid: string;
  readonly population: number | null;
  /** Street modes without a street near its centre. */
  readonly unlinked: readonly string[];
}

/** Layers drawn over the blocks. */
export interface Shown {
  readonly bandsUrl: string;
  readonly mode: string;
}

interface MapParts {
  readonly container: HTMLElement;
  readonly title: string;
  readonly describedBy: string;
  readonly blocksUrl: string;
  /** `null`: blocks lie on nothing. */
  readonly baseMap: BaseMap | null;
  readonly bounds: readonly number[];
  readonly view: MapView | null;
  readonly scheme: Scheme;
  readonly shown: Shown;
  /** After the person moved it. */
  readonly onMoved: (view: MapView) => void;
  readonly onZoom: (zoom: number) => void;
  /** `null` where there is none. */
  readonly onBlock: (block: TileBlock | null) => void;
  readonly onTrouble: () => void;
}

/** A map under control of the page. */
export interface DrawnMap {
  show(shown: Shown): void;
  useScheme(scheme: Scheme): void;
  /** Outlines a block; `null`: none. */
  choose(geoid: string | null): void;
  /** `null`: all of the release. */
  moveTo(view: MapView | null): void;
  remove(): void;
}

const PADDING = 24;
const STRIPES = 'stripes';
const MAX_ZOOM = 18;

setWorkerUrl(workerUrl);
const protocol = new Protocol();
addProtocol('pmtiles', protocol.tile);

/** Draws the bands of a mode and type over the blocks of a release. Nothing else is loaded. */
export function drawMap(parts: MapParts): DrawnMap {
  const { container, bounds, blocksUrl, baseMap } = parts;
  const [west, south, east, north] = bounds;
  const all: [number, number, number, number] = [west, south, east, north];
  let { scheme, shown } = parts;
  const { sources, under, over, ...more } = baseMapStyle(baseMap, scheme, addressOf);
  const map = new MapLibreMap({
    container,
    style: {
      version: 8,
      ...more,
      sources: {
        ...sources,
        blocks: { type: 'vector', url: addressOf(blocksUrl) },
        bands: { type: 'vector', url: addressOf(shown.bandsUrl) },
      },
      layers: [
        { id: 'outside', type: 'background' },
        ...under,
        { id: 'beyond', type: 'fill', ...BLOCKS },
        { id: 'bands', type: 'fill', source: 'bands', 'source-layer': 'bands' },
        { id: 'unlinked', type: 'fill', ...BLOCKS, filter: isUnlinkedFor(shown.mode) },
        { id: 'block-lines', type: 'line', ...BLOCKS },
        ...over,
        { id: 'chosen', type: 'line', ...BLOCKS, filter: isBlock(null) },
      ],
    },
    ...(parts.view ? placeOf(parts.view) : { bounds: all, fitBoundsOptions: { padding: PADDING } }),
    maxZoom: MAX_ZOOM,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    maxPitch: 0,
    fadeDuration: 0,
    locale: { 'Map.Title': parts.title },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right');
  map.addControl(new ScaleControl({ unit: 'imperial' }), 'bottom-left');
  map.getCanvas().setAttribute('aria-describedby', parts.describedBy);

  // Blocks without a band are over 30 minutes only once the bands are there.
  let hasBands = false;
  const paint = () => {
    paintWith(map, MAP_COLOURS[scheme], hasBands);
    if (baseMap && 'archive' in baseMap) paintBaseMap(map, scheme);
  };
  let isStyled = false;
  map.once('style.load', () => {
    isStyled = true;
    paint();
  });
  map.on('sourcedata', ({ sourceId, isSourceLoaded }) => {
    if (hasBands || sourceId !== 'bands' || !isSourceLoaded) return;
    hasBands = true;
    paint();
  });
  map.on('dataloading', () => delete container.dataset.drawn);
  map.on('movestart', () => delete container.dataset.drawn);
  map.on('idle', () => {
    if (hasBands) container.dataset.drawn = `${shown.bandsUrl} ${scheme}`;
  });
  map.on('error', ({ error }) => {
    if (!/abort/i.test(error.message)) parts.onTrouble();
  });
  map.on('zoom', () => parts.onZoom(map.getZoom()));
  map.on('moveend', ({ originalEvent }) => {
    if (!originalEvent) return;
    const { lat, lng } = map.getCenter();
    parts.onMoved({ zoom: map.getZoom(), lat, lon: lng });
  });
  const tell = (at: { readonly x: number; readonly y: number }) =>
    parts.onBlock(blockAt(map, [at.x, at.y]));
  map.on('click', ({ point }) => tell(point));
  map.getCanvas().addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    tell({ x: container.clientWidth / 2, y: container.clientHeight / 2 });
  });
  const whenStyled = (act: () => void) => {
    if (isStyled) act();
    else map.once('style.load', act);
  };
  return {
    show(next) {
      if (next.bandsUrl === shown.bandsUrl) return;
      shown = next;
      whenStyled(() => {
        delete container.dataset.drawn;
        hasBands = false;
        paint();
        map.setFilter('unlinked', isUnlinkedFor(next.mode));
        map.getSource<VectorTileSource>('bands')!.setUrl(addressOf(next.bandsUrl));
      });
    },
    useScheme(next) {
      if (next === scheme) return;
      scheme = next;
      whenStyled(() => {
        delete container.dataset.drawn;
        paint();
      });
    },
    choose(geoid) {
      whenStyled(() => map.setFilter('chosen', isBlock(geoid)));
    },
    moveTo(view) {
      if (view) map.jumpTo(placeOf(view));
      else map.fitBounds(all, { padding: PADDING, animate: false });
    },
    remove: () => map.remove(),
  };
}

const BLOCKS = { source: 'blocks', 'source-layer': 'blocks' } as const;

function placeOf({ zoom, lat, lon }: MapView) {
  return { zoom, center: [lon, lat] as [number, number] };
}

/** The address of an archive in a style. It is opened anew, for one that has failed stays so. */
function addressOf(url: string): string {
  protocol.add(new PMTiles(new ArchiveSource(url)));
  return `pmtiles://${url}`;
}

function isBlock(geoid: string | null): ExpressionSpecification {
  return ['==', ['get', 'geoid'], geoid ?? ''];
}

/** Transit begins with a walk. */
function isUnlinkedFor(mode: string): ExpressionSpecification {
  const street = mode === 'bike' ? 'bike' : 'walk';
  return ['in', street, ['coalesce', ['get', 'unlinked'], '']];
}

function paintWith(map: MapLibreMap, colours: MapColours, hasBands: boolean): void {
  const { classes, beyond, outside, blockLine, chosen } = colours;
  const ends = CLASS_ENDS.flatMap((end, i) => [end, classes[i]]);
  const colourOf = ['match', ['get', 'minutes'], ...ends, beyond] as unknown;
  map.setPaintProperty('outside', 'background-color', outside);
  map.setPaintProperty('beyond', 'fill-color', hasBands ? beyond : outside);
  map.setPaintProperty('bands', 'fill-color', colourOf as ExpressionSpecification);
  map.setPaintProperty('bands', 'fill-antialias', false);
  if (map.hasImage(STRIPES)) map.removeImage(STRIPES);
  map.addImage(STRIPES, stripes(colours), { pixelRatio: 2 });
  map.setPaintProperty('unlinked', 'fill-pattern', STRIPES);
  map.setPaintProperty('block-lines', 'line-color', blockLine);
  map.setPaintProperty('block-lines', 'line-opacity', 0.55);
  map.setPaintProperty('block-lines', 'line-width', [
    'interpolate',
    ['linear'],
    ['zoom'],
    11,
    0.25,
    15,
    1,
  ]);
  map.setPaintProperty('chosen', 'line-color', chosen);
  map.setPaintProperty('chosen', 'line-width', 3);
}

const STRIPES_PIXELS = 16;
const STRIPE_PIXELS = 5;

/** A tile of diagonal stripes. */
function stripes({ stripe, beyond }: MapColours): ImageData {
  const image = new ImageData(STRIPES_PIXELS, STRIPES_PIXELS);
  const [on, off] = [bytesOf(stripe), bytesOf(beyond)];
  for (let y = 0; y < STRIPES_PIXELS; y++) {
    for (let x = 0; x < STRIPES_PIXELS; x++) {
      const colour = (x + y) % STRIPES_PIXELS < STRIPE_PIXELS ? on : off;
      image.data.set(colour, (y * STRIPES_PIXELS + x) * 4);
    }
  }
  return image;
}

function bytesOf(colour: string): [number, number, number, number] {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return [red, green, blue, 255];
}

function blockAt(map: MapLibreMap, at: [number, number]): TileBlock | null {
  const [found] = map.queryRenderedFeatures(at, { layers: ['beyond'] });
  if (!found) return null;
  const { geoid, population, unlinked } = found.properties;
  return {
    geoid: String(geoid),
    population: typeof population === 'number' ? population : null,
    unlinked: typeof unlinked === 'string' ? unlinked.split(',') : [],
  };
}
