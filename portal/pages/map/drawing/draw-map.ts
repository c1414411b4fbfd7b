import 'maplibre-gl/dist/maplibre-gl.css';
import {
  AttributionControl,
  addProtocol,
  Map as MapLibreMap,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
  type VectorTileSource,
} from 'maplibre-gl';
import { PMTiles, Protocol } from 'pmtiles';
import { MAP_COLOURS } from '../../../map-classes.ts';
import type { BaseMap } from '../base-map-style.ts';
import type { MapPosition } from '../state/map-state.ts';
import type { Point } from '../state/point.ts';
import { PADDING } from '../still/frame.ts';
import { ArchiveSource } from './archive-source.ts';
import { baseMapStyle, paintBaseMap } from './base-map.ts';
import { type BlockClasses, BlockFills } from './block-fills.ts';
import { workerUrl } from './map-libre.ts';
import { type MapMarker, MapMarkers } from './map-markers.ts';
import {
  BLOCK_FILLS,
  layersOf,
  type Outlines,
  outline,
  type Palette,
  paintWith,
  type Scheme,
  showLayers,
} from './paint.ts';

/** A block with the properties of its tile. */
export interface TileBlock {
  readonly geoid: string;
  readonly population: number | null;
  /** Street modes without a street near its centre. */
  readonly unlinked: readonly string[];
}

/** Colouring of the blocks: the bands of an archive, or classes that the page has computed. */
export type Shown =
  | { readonly of: 'bands'; readonly bandsUrl: string; readonly modes: readonly string[] }
  | {
      readonly of: 'classes';
      /** Name of the picture, for tests to wait for. */
      readonly name: string;
      readonly modes: readonly string[];
      readonly palette: Palette;
      /** Null: not there yet. */
      readonly blocks: BlockClasses | null;
    };

interface MapParts {
  readonly container: HTMLElement;
  readonly title: string;
  readonly describedBy: string;
  readonly blocksUrl: string;
  /** `null`: there is no base map under the blocks. */
  readonly baseMap: BaseMap | null;
  /** An archive of bands, shown or not. */
  readonly bandsUrl: string;
  readonly bounds: readonly number[];
  readonly position: MapPosition | null;
  readonly scheme: Scheme;
  readonly shown: Shown;
  /** In a page of another site: one finger and the wheel scroll that page. */
  readonly isEmbedded: boolean;
  /** After the person moved it. */
  readonly onMoved: (position: MapPosition) => void;
  readonly onZoom: (zoom: number) => void;
  /** A block was selected: at a point, or null where there is none. */
  readonly onBlock: (block: TileBlock | null, at: Point) => void;
  readonly onMarker: (id: string) => void;
  readonly onPointed: (id: string | null) => void;
  readonly onMarkerMoved: (id: string, to: Point) => void;
  readonly onMarkerRemoved: (id: string) => void;
  readonly onTrouble: () => void;
}

/** A map under control of the page. */
export interface DrawnMap {
  show(shown: Shown): void;
  useScheme(scheme: Scheme): void;
  outline(outlines: Outlines): void;
  mark(markers: readonly MapMarker[]): void;
  highlight(marker: string | null): void;
  /** `null`: all of the release. */
  moveTo(position: MapPosition | null): void;
  view(): MapView;
  /** The map as it is seen, without what lies over it: the data URL of a PNG. */
  pixels(): Promise<string>;
  remove(): void;
}

/** The part of the world that a map shows, and its size in pixels of the page. */
export interface MapView {
  readonly position: MapPosition;
  readonly width: number;
  readonly height: number;
}

const MAX_ZOOM = 18;

setWorkerUrl(workerUrl);
const protocol = new Protocol();
addProtocol('pmtiles', protocol.tile);

/** Draws travel times over the blocks of a release. Nothing else is loaded. */
export function drawMap(parts: MapParts): DrawnMap {
  const { container, bounds, blocksUrl, baseMap } = parts;
  const [west, south, east, north] = bounds;
  const all: [number, number, number, number] = [west, south, east, north];
  let { scheme, shown, bandsUrl } = parts;
  const { sources, under, over, ...more } = baseMapStyle(baseMap, scheme, addressOf);
  const map = new MapLibreMap({
    container,
    style: {
      version: 8,
      ...more,
      // In the order in which their tiles are requested: colours first.
      sources: {
        bands: { type: 'vector', url: addressOf(bandsUrl) },
        blocks: { type: 'vector', url: addressOf(blocksUrl) },
        ...sources,
      },
      layers: layersOf(under, over),
    },
    ...(parts.position
      ? placeOf(parts.position)
      : { bounds: all, fitBoundsOptions: { padding: PADDING } }),
    maxZoom: MAX_ZOOM,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    maxPitch: 0,
    fadeDuration: 0,
    cooperativeGestures: parts.isEmbedded,
    locale: { 'Map.Title': parts.title },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right');
  map.addControl(new ScaleControl({ unit: 'imperial' }), 'bottom-left');
  map.addControl(new AttributionControl({ compact: false, customAttribution: ATTRIBUTION }));
  map.getCanvas().setAttribute('aria-describedby', parts.describedBy);

  const fills = new BlockFills(map);
  const markers = new MapMarkers(map, {
    onPress: parts.onMarker,
    onPoint: parts.onPointed,
    onMove: parts.onMarkerMoved,
    onRemove: parts.onMarkerRemoved,
  });
  // Blocks without a band are over 30 minutes only once the bands are there.
  let hasBands = false;
  const paint = () => {
    const hasGround = shown.of === 'bands' ? hasBands : shown.blocks !== null;
    const palette = shown.of === 'classes' ? shown.palette : 'classes';
    paintWith(map, MAP_COLOURS[scheme], { hasGround, palette });
  };
  const refresh = () => {
    paint();
    showLayers(map, shown.of, shown.modes);
    fills.show(shown.of === 'classes' ? shown.blocks : null);
  };
  let isStyled = false;
  map.once('style.load', () => {
    isStyled = true;
    refresh();
  });
  // A source that failed counts as loaded: only its metadata shows that it was read.
  let hasBandsMetadata = false;
  const noteBands = () => {
    if (hasBands || !hasBandsMetadata || !map.isSourceLoaded('bands')) return;
    hasBands = true;
    paint();
  };
  map.on('sourcedata', ({ sourceId, sourceDataType }) => {
    if (sourceId !== 'bands') return;
    if (sourceDataType === 'metadata') hasBandsMetadata = true;
    noteBands();
  });
  const isBeingDrawn = () => delete container.dataset.drawn;
  map.on('dataloading', isBeingDrawn);
  map.on('movestart', isBeingDrawn);
  map.on('idle', () => {
    // Where no tile is in view, no event of the source may follow its metadata.
    noteBands();
    if (shown.of === 'classes') container.dataset.drawn = `${shown.name} ${scheme}`;
    else if (hasBands) container.dataset.drawn = `${shown.bandsUrl} ${scheme}`;
  });
  map.on('error', ({ error }) => {
    if (!/abort/i.test(error.message)) parts.onTrouble();
  });
  map.on('zoom', () => parts.onZoom(map.getZoom()));
  parts.onZoom(map.getZoom());
  const positionNow = (): MapPosition => {
    const { lat, lng } = map.getCenter();
    return { zoom: map.getZoom(), lat, lon: lng };
  };
  map.on('moveend', ({ originalEvent }) => {
    if (originalEvent) parts.onMoved(positionNow());
  });
  const select = (x: number, y: number) => {
    const { lat, lng } = map.unproject([x, y]);
    parts.onBlock(blockAt(map, [x, y]), { lat, lon: lng });
  };
  map.on('click', ({ point }) => select(point.x, point.y));
  map.getCanvas().addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    select(container.clientWidth / 2, container.clientHeight / 2);
  });
  const whenStyled = (act: () => void) => {
    if (isStyled) act();
    else map.once('style.load', act);
  };
  return {
    show(next) {
      const before = shown;
      shown = next;
      whenStyled(() => {
        // A slider changes classes only.
        if (isSamePicture(before, next)) {
          if (next.of === 'classes') fills.show(next.blocks);
          return;
        }
        isBeingDrawn();
        if (next.of === 'bands' && next.bandsUrl !== bandsUrl) {
          ({ bandsUrl } = next);
          hasBands = false;
          hasBandsMetadata = false;
          map.getSource<VectorTileSource>('bands')!.setUrl(addressOf(bandsUrl));
        }
        refresh();
      });
    },
    useScheme(next) {
      if (next === scheme) return;
      scheme = next;
      whenStyled(() => {
        isBeingDrawn();
        paint();
        if (baseMap && 'archive' in baseMap) paintBaseMap(map, scheme);
      });
    },
    outline: (outlines) => whenStyled(() => outline(map, outlines)),
    mark: (shownMarkers) => markers.show(shownMarkers),
    highlight: (id) => markers.highlight(id),
    moveTo(position) {
      if (position) map.jumpTo(placeOf(position));
      else map.fitBounds(all, { padding: PADDING, animate: false });
    },
    view: () => ({
      position: positionNow(),
      width: container.clientWidth,
      height: container.clientHeight,
    }),
    pixels: () =>
      new Promise((resolve) => {
        // Between frames the canvas is empty.
        map.once('render', () => resolve(map.getCanvas().toDataURL()));
        map.triggerRepaint();
      }),
    remove: () => map.remove(),
  };
}

const ATTRIBUTION =
  '© <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> · US Census Bureau · <a href="https://maplibre.org/">MapLibre</a>';

function isSamePicture(one: Shown, other: Shown): boolean {
  if (one.of === 'bands' || other.of === 'bands') {
    return one.of === 'bands' && other.of === 'bands' && one.bandsUrl === other.bandsUrl;
  }
  return (
    one.name === other.name &&
    one.palette === other.palette &&
    one.blocks?.geoids === other.blocks?.geoids
  );
}

function placeOf({ zoom, lat, lon }: MapPosition) {
  return { zoom, center: [lon, lat] as [number, number] };
}

/** The address of an archive in a style. Opens it anew: an archive that has failed stays failed. */
function addressOf(url: string): string {
  protocol.add(new PMTiles(new ArchiveSource(url)));
  return `pmtiles://${url}`;
}

function blockAt(map: MapLibreMap, at: [number, number]): TileBlock | null {
  const [found] = map.queryRenderedFeatures(at, { layers: [...BLOCK_FILLS] });
  if (!found) return null;
  const { geoid, population, unlinked } = found.properties;
  return {
    geoid: String(geoid),
    population: typeof population === 'number' ? population : null,
    unlinked: typeof unlinked === 'string' ? unlinked.split(',') : [],
  };
}
