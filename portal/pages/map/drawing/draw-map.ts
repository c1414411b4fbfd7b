import type { Map as MapLibreMap, VectorTileSource } from 'maplibre-gl';
import { MAP_COLOURS } from '../../../map-classes.ts';
import type { BlockClasses } from '../measures/block-classes.ts';
import type { MapPosition } from '../state/map-state.ts';
import type { Point } from '../state/point.ts';
import { PADDING } from '../tiles/frame.ts';
import { paintBaseMap } from './base-map.ts';
import { BlockFills } from './block-fills.ts';
import { type MapMarker, MapMarkers } from './map-markers.ts';
import { addressOf, boundsOf, type NewMapParts, newMap, placeOf } from './new-map.ts';
import {
  BLOCK_FILLS,
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
      /** Null until the blocks are loaded. */
      readonly blocks: BlockClasses | null;
    };

interface MapParts extends NewMapParts {
  readonly shown: Shown;
  /** Called after the user has moved the map. */
  readonly onMoved: (position: MapPosition) => void;
  readonly onZoom: (zoom: number) => void;
  /** Called when a point was selected, with the block at it; null if there is none. */
  readonly onBlock: (block: TileBlock | null, at: Point) => void;
  readonly onMarker: (id: string) => void;
  readonly onPointed: (id: string | null) => void;
  readonly onMarkerMoved: (id: string, to: Point) => void;
  readonly onMarkerRemoved: (id: string) => void;
  readonly onTrouble: () => void;
}

/** A map controlled by the page. */
export interface DrawnMap {
  show(shown: Shown): void;
  useScheme(scheme: Scheme): void;
  outline(outlines: Outlines): void;
  mark(markers: readonly MapMarker[]): void;
  highlight(marker: string | null): void;
  /** Moves to a position; `null`: to the whole release. */
  moveTo(position: MapPosition | null): void;
  viewport(): Viewport;
  /** Returns the map as it is shown, without the elements over it, as the data URL of a PNG. */
  pixels(): Promise<string>;
  remove(): void;
}

/** The part of the world that a map shows, and its size in pixels of the page. */
interface Viewport {
  readonly position: MapPosition;
  readonly width: number;
  readonly height: number;
}

/** Draws travel times over the blocks of a release. Nothing else is loaded. */
export function drawMap(parts: MapParts): DrawnMap {
  const { container, bounds, baseMap } = parts;
  let { scheme, shown, bandsUrl } = parts;
  const map = newMap(parts);
  const fills = new BlockFills(map);
  const markers = new MapMarkers(map, {
    onPress: parts.onMarker,
    onPoint: parts.onPointed,
    onMove: parts.onMarkerMoved,
    onRemove: parts.onMarkerRemoved,
  });
  // Until the bands are loaded, a block without a band is not known to be over 30 minutes.
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
    // If no tile is in view, no event of the source may follow its metadata.
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
      else map.fitBounds(boundsOf(bounds), { padding: PADDING, animate: false });
    },
    viewport: () => ({
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
