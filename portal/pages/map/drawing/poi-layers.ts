import type { Map as MapLibreMap } from 'maplibre-gl';
import { MAP_COLOURS } from '../../../map-classes.ts';
import type { PoiArchive } from '../catalogue/catalogue.ts';
import type { Point } from '../state/codecs.ts';
import { FONT } from './base-map.ts';
import { addressOf } from './new-map.ts';
import type { Scheme } from './paint.ts';

/** Begins the ids of the sources of POIs, and of their layers. */
export const POIS = 'pois-';
/** Zoom of the tiles that have names. */
const NAMES_ZOOM = 14;
const NAMES = '-names';

/** A POI as drawn; its place is that of the tile, and its name is null at low zooms. */
export interface DrawnPoi extends Point {
  readonly dest_id: number;
  readonly name: string | null;
}

/** POIs as dots over the blocks, with their names at high zooms. */
export class PoiLayers {
  readonly #map: MapLibreMap;
  /** The archives that are shown, the first below the others. */
  #shown: readonly PoiArchive[] = [];

  constructor(map: MapLibreMap) {
    this.#map = map;
  }

  show(next: readonly PoiArchive[], scheme: Scheme): void {
    if (JSON.stringify(next) === JSON.stringify(this.#shown)) return;
    for (const i of this.#shown.keys()) {
      this.#map.removeLayer(POIS + i + NAMES);
      this.#map.removeLayer(POIS + i);
      this.#map.removeSource(POIS + i);
    }
    this.#shown = next;
    next.forEach(({ url }, i) => {
      this.#map.addSource(POIS + i, { type: 'vector', url: addressOf(url) });
    });
    for (const i of next.keys()) {
      const from = { source: POIS + i, 'source-layer': 'pois' };
      this.#map.addLayer({
        id: POIS + i,
        type: 'circle',
        ...from,
        paint: {
          'circle-radius': ['interpolate', ['linear'], ['zoom'], 11, 2, 16, 6],
          'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 11, 0.5, 16, 2],
        },
      });
      this.#map.addLayer({
        id: POIS + i + NAMES,
        type: 'symbol',
        ...from,
        minzoom: NAMES_ZOOM,
        layout: {
          'text-field': ['get', 'name'],
          'text-font': [FONT],
          'text-size': 12,
          'text-anchor': 'top',
          'text-offset': [0, 0.6],
          'text-optional': true,
        },
        paint: { 'text-halo-width': 2 },
      });
    }
    this.paint(scheme);
  }

  paint(scheme: Scheme): void {
    const { halo, chosen } = MAP_COLOURS[scheme];
    for (const [i, { isStop }] of this.#shown.entries()) {
      this.#map.setPaintProperty(POIS + i, 'circle-color', isStop ? halo : chosen);
      this.#map.setPaintProperty(POIS + i, 'circle-stroke-color', isStop ? chosen : halo);
      this.#map.setPaintProperty(POIS + i + NAMES, 'text-color', chosen);
      this.#map.setPaintProperty(POIS + i + NAMES, 'text-halo-color', halo);
    }
  }

  /** The POI at a point of the map in pixels; null if there is none. */
  at(at: [number, number]): DrawnPoi | null {
    if (this.#shown.length === 0) return null;
    const layers = [...this.#shown.keys()].map((i) => POIS + i);
    const [found] = this.#map.queryRenderedFeatures(at, { layers });
    if (found?.geometry.type !== 'Point') return null;
    const [lon, lat] = found.geometry.coordinates;
    return { dest_id: Number(found.id), name: found.properties.name ?? null, lat, lon };
  }
}
