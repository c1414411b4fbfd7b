import { LngLat, type Map as MapLibreMap, type StyleSpecification } from 'maplibre-gl';
import type { Point } from '../state/codecs.ts';
import type { MapPosition } from '../state/map-state.ts';
import { PADDING } from '../tiles/frame.ts';
import { BASE_MAP } from './base-map.ts';
import { BlockFills } from './block-fills.ts';
import { type MapMarker, MapMarkers, type MarkerEvents } from './map-markers.ts';
import { boundsOf, type NewMapParts, newMap, openArchives, placeOf } from './new-map.ts';
import {
  BLOCK_FILLS,
  bandsOf,
  type Look,
  type MapArchives,
  mapStyle,
  type Shown,
  stripeImages,
} from './paint.ts';
import { type DrawnPoi, poiAt, routesAt } from './poi-layers.ts';

interface TileBlock {
  readonly geoid: string;
  readonly population: number | null;
  /** Street modes without a street near its centre. */
  readonly unlinked: readonly string[];
}

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
  /** Called with whether the bands that the page states are late, so that none are seen. */
  readonly onLate: (areLate: boolean) => void;
  /** Called after the user has moved the map. */
  readonly onMoved: (position: MapPosition) => void;
  readonly onZoom: (zoom: number) => void;
  /** Called when a point was selected, with the block and the POI at it; null if there is none. */
  readonly onBlock: (block: TileBlock | null, at: Point, poi: DrawnPoi | null) => void;
  readonly onHover: (hovered: HoveredBlock | null) => void;
  /**
   * Called with the id of the source that could not be loaded: `blocks`, `bands URL`, `pois URL` …
   */
  readonly onTrouble: (source: string) => void;
}

interface MapParts extends NewMapParts, MapArchives {
  /** Those of the latest render of the page. */
  readonly events: { readonly current: MapEvents };
  readonly look: Look;
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
  #fills: BlockFills;
  readonly #markers: MapMarkers;
  #look: Look;
  #style: StyleSpecification;
  /** The next frame in which the block under the pointer is looked up. */
  #hovering = 0;
  #isStyled = false;
  /** The archive whose bands are seen; null while none are. */
  #drawnBands: string | null = null;
  /** Ends the bands of an archive that the page states no longer. */
  #ending = 0;
  /** Sources that could not be loaded. */
  readonly #failed = new Set<string>();

  constructor(parts: MapParts) {
    this.#parts = parts;
    this.#look = parts.look;
    this.#style = mapStyle(parts, parts.look, null);
    this.#map = newMap(parts, this.#style);
    this.#fills = new BlockFills(this.#map);
    this.#markers = new MapMarkers(this.#map, parts.events);
    this.#begin();
    // With the graphics, which phones take from pages in the background, the map loses its style.
    this.#map.on('webglcontextlost', () => this.#begin());
    this.#followLoading();
    this.#followUser();
    this.#followPointer();
  }

  get #events(): MapEvents {
    return this.#parts.events.current;
  }

  /** Draws what the page states once the style is loaded, which has no classes of blocks yet. */
  #begin(): void {
    this.#isStyled = false;
    this.#drawnBands = null;
    this.#map.once('style.load', () => {
      for (const [name, image] of stripeImages()) {
        if (!this.#map.hasImage(name)) this.#map.addImage(name, image, { pixelRatio: 2 });
      }
      this.#fills = new BlockFills(this.#map);
      this.#isStyled = true;
      this.#restyle();
    });
  }

  /** Shows what the page states. */
  show(next: Look): void {
    const before = this.#look;
    this.#look = next;
    if (before.scheme !== next.scheme || !isSamePicture(before.shown, next.shown)) {
      clearTimeout(this.#ending);
      this.#ending = window.setTimeout(() => this.#endBands(), PATIENCE_MS);
      this.#isBeingDrawn();
      // So that the map becomes idle again, even if nothing but the name differs.
      this.#map.triggerRepaint();
    }
    if (this.#isStyled) this.#restyle();
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
    clearTimeout(this.#ending);
    this.#map.remove();
  }

  /** Notes in `data-drawn` what the map has drawn, for tests to wait for. */
  #followLoading(): void {
    const map = this.#map;
    map.on('sourcedata', () => this.#noteBands());
    map.on('dataloading', () => this.#isBeingDrawn());
    map.on('movestart', () => this.#isBeingDrawn());
    map.once('movestart', () => this.#events.onDrawn());
    map.once('idle', () => this.#events.onDrawn());
    map.on('idle', () => {
      // If no tile is in view, no event of the source may follow its metadata.
      this.#noteBands();
      const { dataset } = this.#parts.container;
      const { shown, scheme } = this.#look;
      if (shown.of === 'classes') dataset.drawn = `${shown.name} ${scheme}`;
      else if (this.#drawnBands === shown.bandsUrl) dataset.drawn = `${shown.bandsUrl} ${scheme}`;
    });
    map.on('error', (event) => {
      if (/abort/i.test(event.error.message)) return;
      const source = 'sourceId' in event ? String(event.sourceId) : '';
      this.#failed.add(source);
      // Bands of another archive would lie under the title of those that failed.
      if (source.startsWith('bands ')) this.#drawBands(null);
      this.#events.onTrouble(source);
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
      const { pois } = this.#look.shown;
      const poi = poiAt(this.#map, pois, [x, y])?.name ?? routesAt(this.#map, pois, [x, y]);
      this.#events.onHover(block && { block, poi, place, x, y });
    });
  }

  #select(x: number, y: number): void {
    const { lat, lng } = this.#map.unproject([x, y]);
    const poi = poiAt(this.#map, this.#look.shown.pois, [x, y]);
    this.#events.onBlock(blockAt(this.#map, [x, y]), { lat, lon: lng }, poi);
  }

  #position(): MapPosition {
    const { lat, lng } = this.#map.getCenter();
    return { zoom: this.#map.getZoom(), lat, lon: lng };
  }

  /** Shows the bands that the page states once all of them in view are loaded. */
  #noteBands(): void {
    const { shown } = this.#look;
    if (!this.#isStyled || shown.of !== 'bands' || shown.bandsUrl === this.#drawnBands) return;
    const source = bandsOf(shown.bandsUrl);
    // A style first loses its former sources, which is an event, and then has those that are new.
    if (this.#map.getSource(source) === undefined) return;
    // A source that failed counts as loaded.
    if (this.#failed.has(source) || !this.#map.isSourceLoaded(source)) return;
    this.#drawBands(shown.bandsUrl);
    this.#map.once('render', () => this.#events.onDrawn());
  }

  #drawBands(url: string | null): void {
    this.#drawnBands = url;
    this.#events.onLate(url === null);
    if (this.#isStyled) this.#restyle();
  }

  /** Bands would lie under the title of those that are late. */
  #endBands(): void {
    const { shown } = this.#look;
    if (shown.of === 'bands' && shown.bandsUrl !== this.#drawnBands) this.#drawBands(null);
  }

  #isBeingDrawn(): void {
    delete this.#parts.container.dataset.drawn;
  }

  /** Gives the map the style of its look, of which MapLibre applies what differs. */
  #restyle(): void {
    const { shown } = this.#look;
    const style = mapStyle(this.#parts, this.#look, this.#drawnBands);
    openArchives(style, this.#style);
    this.#style = style;
    this.#map.setStyle(style, { validate: false });
    this.#fills.show(shown.of === 'classes' ? shown.blocks : null);
  }
}

/** Longest that bands are seen after the page states others: a shorter change would flicker. */
const PATIENCE_MS = 500;

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
  const [found] = map.queryRenderedFeatures(at, { layers: BLOCK_FILLS });
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
