import { LngLat, type Map as MapLibreMap, type VectorTileSource } from 'maplibre-gl';
import { MAP_COLOURS } from '../../../map-classes.ts';
import type { PoiArchive } from '../catalogue/catalogue.ts';
import type { BlockClasses } from '../measures/block-classes.ts';
import type { Point } from '../state/codecs.ts';
import type { MapPosition } from '../state/map-state.ts';
import { PADDING } from '../tiles/frame.ts';
import { BASE_MAP, paintBaseMap } from './base-map.ts';
import { BlockFills } from './block-fills.ts';
import { type MapMarker, MapMarkers, type MarkerEvents } from './map-markers.ts';
import { addressOf, boundsOf, type NewMapParts, newMap, placeOf } from './new-map.ts';
import {
  BLOCK_FILLS,
  type Outlines,
  outline,
  type Palette,
  paintWith,
  type Scheme,
  setOpacity,
  showLayers,
} from './paint.ts';
import { type DrawnPoi, POIS, PoiLayers } from './poi-layers.ts';

interface TileBlock {
  readonly geoid: string;
  readonly population: number | null;
  /** Street modes without a street near its centre. */
  readonly unlinked: readonly string[];
}

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

/** The block under the pointer, or under the cross of a map that has the focus. */
export interface HoveredBlock {
  readonly block: TileBlock;
  /** Name of the POI, or words for the routes, under the pointer; null without either. */
  readonly poi: string | null;
  /** Name of the nearest neighbourhood or city on the map; null if there is none. */
  readonly place: string | null;
  /** Position on the map, pixels. */
  readonly x: number;
  readonly y: number;
}

export interface MapEvents extends MarkerEvents {
  /** Called when the colors have been drawn or have failed to load, and when the map moves. */
  readonly onDrawn: () => void;
  /** Called after the user has moved the map. */
  readonly onMoved: (position: MapPosition) => void;
  readonly onZoom: (zoom: number) => void;
  /** Called when a point was selected, with the block and the POI at it; null if there is none. */
  readonly onBlock: (block: TileBlock | null, at: Point, poi: DrawnPoi | null) => void;
  readonly onHover: (hovered: HoveredBlock | null) => void;
  /** Called with the id of the source that could not be loaded. */
  readonly onTrouble: (source: string) => void;
}

interface MapParts extends NewMapParts {
  /** Those of the latest render of the page. */
  readonly events: { readonly current: MapEvents };
  readonly shown: Shown;
  readonly opacity: number;
}

/** The part of the world that a map shows, and its size in pixels of the page. */
interface Viewport {
  readonly position: MapPosition;
  /** Name of the place in the middle; null if there is none. */
  readonly place: string | null;
  readonly width: number;
  readonly height: number;
}

/**
 * A map of travel times over the blocks of a release, controlled by the page. Nothing else is
 * loaded.
 */
export class DrawnMap {
  readonly #parts: MapParts;
  readonly #map: MapLibreMap;
  readonly #fills: BlockFills;
  readonly #markers: MapMarkers;
  readonly #pois: PoiLayers;
  #scheme: Scheme;
  #shown: Shown;
  #opacity: number;
  #bandsUrl: string;
  /** The next frame in which the block under the pointer is looked up. */
  #hovering = 0;
  #isStyled = false;
  /** Until the bands are loaded, a block without a band is not known to be over 30 minutes. */
  #hasBands = false;
  /** A source that failed counts as loaded: only its metadata shows that it was read. */
  #hasBandsMetadata = false;

  constructor(parts: MapParts) {
    this.#parts = parts;
    this.#scheme = parts.scheme;
    this.#shown = parts.shown;
    this.#opacity = parts.opacity;
    this.#bandsUrl = parts.bandsUrl;
    this.#map = newMap(parts);
    this.#fills = new BlockFills(this.#map);
    this.#pois = new PoiLayers(this.#map);
    this.#markers = new MapMarkers(this.#map, parts.events);
    this.#map.once('style.load', () => {
      this.#isStyled = true;
      this.#refresh();
      this.#pois.show(this.#shown.pois, this.#scheme);
    });
    this.#followLoading();
    this.#followUser();
    this.#followPointer();
  }

  get #events(): MapEvents {
    return this.#parts.events.current;
  }

  show(next: Shown): void {
    const before = this.#shown;
    this.#shown = next;
    this.#whenStyled(() => {
      this.#pois.show(next.pois, this.#scheme);
      // A slider changes classes only.
      if (isSamePicture(before, next)) {
        if (next.of === 'classes') this.#fills.show(next.blocks);
        return;
      }
      this.#isBeingDrawn();
      if (next.of === 'bands' && next.bandsUrl !== this.#bandsUrl) {
        this.#bandsUrl = next.bandsUrl;
        this.#hasBands = false;
        this.#hasBandsMetadata = false;
        this.#map.getSource<VectorTileSource>('bands')!.setUrl(addressOf(next.bandsUrl));
      }
      this.#refresh();
    });
  }

  useScheme(next: Scheme): void {
    if (next === this.#scheme) return;
    this.#scheme = next;
    const { baseMap } = this.#parts;
    this.#whenStyled(() => {
      this.#isBeingDrawn();
      this.#paint();
      this.#pois.paint(next);
      if (baseMap && 'archive' in baseMap) paintBaseMap(this.#map, next);
    });
  }

  /** Sets the opacity of the colors, from 0 to 1. */
  fade(opacity: number): void {
    this.#opacity = opacity;
    this.#whenStyled(() => setOpacity(this.#map, opacity, this.#shown.modes.length > 0));
  }

  outline(outlines: Outlines): void {
    this.#whenStyled(() => outline(this.#map, outlines));
  }

  mark(markers: readonly MapMarker[]): void {
    this.#markers.show(markers);
  }

  highlight(marker: string | null): void {
    this.#markers.highlight(marker);
  }

  /** Moves to a position; `null`: to the whole release. */
  moveTo(position: MapPosition | null): void {
    if (position) this.#map.jumpTo(placeOf(position));
    else this.#map.fitBounds(boundsOf(this.#parts.bounds), { padding: PADDING, animate: false });
  }

  viewport(): Viewport {
    const { clientWidth, clientHeight } = this.#parts.container;
    const position = this.#position();
    const most = position.zoom < NEIGHBOURHOOD_ZOOM ? 0 : NEIGHBOURHOOD_METRES;
    const place = placeAt(this.#map, this.#map.getCenter(), most);
    return { position, place, width: clientWidth, height: clientHeight };
  }

  /** Returns the map as it is shown, without the elements over it, as the data URL of a PNG. */
  pixels(): string {
    // Between frames the canvas is empty.
    return this.#map.redraw().getCanvas().toDataURL();
  }

  remove(): void {
    cancelAnimationFrame(this.#hovering);
    this.#map.remove();
  }

  /** Notes in `data-drawn` what the map has drawn, for tests to wait for. */
  #followLoading(): void {
    const map = this.#map;
    map.on('sourcedata', ({ sourceId, sourceDataType }) => {
      if (sourceId !== 'bands') return;
      if (sourceDataType === 'metadata') this.#hasBandsMetadata = true;
      this.#noteBands();
    });
    map.on('dataloading', () => this.#isBeingDrawn());
    map.on('movestart', () => this.#isBeingDrawn());
    map.once('movestart', () => this.#events.onDrawn());
    map.once('idle', () => this.#events.onDrawn());
    map.on('idle', () => {
      // If no tile is in view, no event of the source may follow its metadata.
      this.#noteBands();
      const { dataset } = this.#parts.container;
      const shown = this.#shown;
      if (shown.of === 'classes') dataset.drawn = `${shown.name} ${this.#scheme}`;
      else if (this.#hasBands) dataset.drawn = `${shown.bandsUrl} ${this.#scheme}`;
    });
    map.on('error', (event) => {
      if (/abort/i.test(event.error.message)) return;
      // All sources of POIs are one to users.
      const source = 'sourceId' in event ? String(event.sourceId) : '';
      this.#events.onTrouble(source.startsWith(POIS) ? 'pois' : source);
    });
  }

  #followUser(): void {
    const map = this.#map;
    const { container } = this.#parts;
    map.on('zoom', () => this.#events.onZoom(map.getZoom()));
    this.#events.onZoom(map.getZoom());
    map.on('moveend', ({ originalEvent }) => {
      if (originalEvent) this.#events.onMoved(this.#position());
    });
    map.on('click', ({ point }) => this.#select(point.x, point.y));
    map.getCanvas().addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      this.#select(container.clientWidth / 2, container.clientHeight / 2);
    });
  }

  /** Reports the block under the pointer, a finger, or the cross of a map with the focus. */
  #followPointer(): void {
    const map = this.#map;
    const { container } = this.#parts;
    const canvas = map.getCanvas();
    const leave = () => {
      cancelAnimationFrame(this.#hovering);
      this.#events.onHover(null);
    };
    const hoverCross = () => {
      if (canvas.matches(':focus-visible')) {
        this.#hover(container.clientWidth / 2, container.clientHeight / 2);
      }
    };
    map.on('mousemove', ({ point }) => this.#hover(point.x, point.y));
    map.on('click', ({ point }) => this.#hover(point.x, point.y));
    map.on('mouseout', leave);
    map.on('movestart', leave);
    map.on('idle', hoverCross);
    canvas.addEventListener('focus', hoverCross);
    canvas.addEventListener('blur', leave);
  }

  /** Looks a block up once a frame, since a pointer moves more often. */
  #hover(x: number, y: number): void {
    cancelAnimationFrame(this.#hovering);
    this.#hovering = requestAnimationFrame(() => {
      if (this.#map.isMoving()) return;
      const block = blockAt(this.#map, [x, y]);
      const place = placeAt(this.#map, this.#map.unproject([x, y]));
      const poi = this.#pois.at([x, y])?.name ?? this.#pois.routesAt([x, y]);
      this.#events.onHover(block && { block, poi, place, x, y });
    });
  }

  #select(x: number, y: number): void {
    const { lat, lng } = this.#map.unproject([x, y]);
    const poi = this.#pois.at([x, y]);
    this.#events.onBlock(blockAt(this.#map, [x, y]), { lat, lon: lng }, poi);
  }

  #position(): MapPosition {
    const { lat, lng } = this.#map.getCenter();
    return { zoom: this.#map.getZoom(), lat, lon: lng };
  }

  #noteBands(): void {
    if (this.#hasBands || !this.#hasBandsMetadata || !this.#map.isSourceLoaded('bands')) return;
    this.#hasBands = true;
    this.#paint();
    this.#map.once('render', () => this.#events.onDrawn());
  }

  #isBeingDrawn(): void {
    delete this.#parts.container.dataset.drawn;
  }

  #paint(): void {
    const shown = this.#shown;
    const hasGround = shown.of === 'bands' ? this.#hasBands : shown.blocks !== null;
    const palette = shown.of === 'classes' ? shown.palette : undefined;
    paintWith(this.#map, MAP_COLOURS[this.#scheme], { hasGround, palette });
  }

  #refresh(): void {
    const shown = this.#shown;
    this.#paint();
    showLayers(this.#map, shown.of, shown.modes);
    setOpacity(this.#map, this.#opacity, shown.modes.length > 0);
    this.#fills.show(shown.of === 'classes' ? shown.blocks : null);
  }

  #whenStyled(act: () => void): void {
    if (this.#isStyled) act();
    else this.#map.once('style.load', act);
  }
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

/** A neighbourhood farther than this does not name a point. */
const NEIGHBOURHOOD_METRES = 1_500;
/** Lowest zoom of a map that is named by a neighbourhood; wider ones are named by their city. */
const NEIGHBOURHOOD_ZOOM = 14;

/**
 * Name of the nearest neighbourhood of the release's base map within `most` metres, or else of the
 * nearest city.
 */
function placeAt(map: MapLibreMap, at: LngLat, most = NEIGHBOURHOOD_METRES): string | null {
  if (map.getSource(BASE_MAP) === undefined) return null;
  const places = map
    .querySourceFeatures(BASE_MAP, { sourceLayer: 'places' })
    .flatMap(({ geometry, properties }) => {
      if (geometry.type !== 'Point' || typeof properties.name !== 'string') return [];
      const [lon, lat] = geometry.coordinates;
      return [
        { ...properties, name: properties.name, metres: at.distanceTo(new LngLat(lon, lat)) },
      ];
    })
    .sort((a, b) => a.metres - b.metres);
  const nearest = (kind: string, most: number) =>
    places.find((one) => 'kind' in one && one.kind === kind && one.metres <= most)?.name;
  return nearest('neighbourhood', most) ?? nearest('locality', Number.POSITIVE_INFINITY) ?? null;
}
