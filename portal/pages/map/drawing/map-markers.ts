import { type Map as MapLibreMap, Marker } from 'maplibre-gl';
import type { Point } from '../state/codecs.ts';

/** A point on the map that can be focused and pressed. */
export interface MapMarker {
  readonly id: string;
  readonly at: Point;
  /**
   * Kind of the marker. All but POIs can be dragged; the Delete key removes all but POIs and
   * origins.
   */
  readonly kind: 'poi' | 'origin' | 'site' | 'candidate' | 'corner';
  /** Text on the marker; if empty, a dot. */
  readonly sign: string;
  /** Text below the marker, if any. */
  readonly note?: string;
  /** Whether it is among the best candidates. */
  readonly isChosen?: boolean;
  /** The accessible name and the tooltip. */
  readonly title: string;
}

export interface MarkerEvents {
  readonly onMarker: (id: string) => void;
  /** Receives the marker under the pointer or with the focus; null when there is none. */
  readonly onPointed: (id: string | null) => void;
  readonly onMarkerMoved: (id: string, to: Point) => void;
  readonly onMarkerRemoved: (id: string) => void;
}

/** Pixels from a marker to the ends of a note below it. */
const NOTE = { width: 60, height: 54 };

/** Markers as buttons in the page, so that keyboards and screen readers reach them. */
export class MapMarkers {
  readonly #map: MapLibreMap;
  readonly #events: { readonly current: MarkerEvents };
  readonly #shown = new Map<string, { readonly marker: Marker; readonly key: string }>();

  constructor(map: MapLibreMap, events: { readonly current: MarkerEvents }) {
    this.#map = map;
    this.#events = events;
    map.on('move', () => this.#keepNotesWithin());
  }

  /** Puts notes that the edges of the map would cut above their markers, or beside them. */
  #keepNotesWithin(): void {
    const { clientWidth, clientHeight } = this.#map.getContainer();
    for (const { marker } of this.#shown.values()) {
      const element = marker.getElement();
      if (element.dataset.note === undefined) continue;
      const { x, y } = this.#map.project(marker.getLngLat());
      element.classList.toggle('is-low', y > clientHeight - NOTE.height);
      element.classList.toggle('is-left', x < NOTE.width);
      element.classList.toggle('is-right', x > clientWidth - NOTE.width);
    }
  }

  show(markers: readonly MapMarker[]): void {
    const wanted = new Map(markers.map((one) => [one.id, one]));
    for (const [id, { marker, key }] of this.#shown) {
      const next = wanted.get(id);
      if (next && keyOf(next) === key) continue;
      marker.remove();
      this.#shown.delete(id);
    }
    for (const [id, one] of wanted) {
      if (this.#shown.has(id)) continue;
      const draggable = one.kind !== 'poi';
      const marker = new Marker({ element: this.#element(one), draggable });
      marker.setLngLat([one.at.lon, one.at.lat]).addTo(this.#map);
      marker.on('dragend', () => {
        const { lat, lng } = marker.getLngLat();
        this.#events.current.onMarkerMoved(id, { lat, lon: lng });
      });
      this.#shown.set(id, { marker, key: keyOf(one) });
    }
    this.#keepNotesWithin();
  }

  /** Raises one marker above the others. */
  highlight(id: string | null): void {
    for (const [other, { marker }] of this.#shown) {
      marker.getElement().classList.toggle('is-pointed', other === id);
    }
  }

  #element(shown: MapMarker): HTMLElement {
    const { id, kind, sign, note, title, isChosen = false } = shown;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = `map-marker map-marker-${kind}${isChosen ? ' is-chosen' : ''}`;
    button.setAttribute('aria-label', title);
    button.title = title;
    const face = document.createElement('span');
    face.className = 'marker-face';
    face.textContent = sign;
    button.append(face);
    if (note !== undefined) button.dataset.note = note;
    button.addEventListener('click', (event) => {
      // A press on a marker must not select the block below it.
      event.stopPropagation();
      this.#events.current.onMarker(id);
    });
    button.addEventListener('keydown', (event) => {
      if (!isOwn(shown) || !['Delete', 'Backspace'].includes(event.key)) return;
      event.preventDefault();
      this.#events.current.onMarkerRemoved(id);
    });
    const point = (pointed: string | null) => () => this.#events.current.onPointed(pointed);
    for (const on of ['pointerenter', 'focus']) button.addEventListener(on, point(id));
    for (const off of ['pointerleave', 'blur']) button.addEventListener(off, point(null));
    return button;
  }
}

function isOwn({ kind }: MapMarker): boolean {
  return kind !== 'poi' && kind !== 'origin';
}

function keyOf({ id: _, ...shown }: MapMarker): string {
  return JSON.stringify(shown);
}
