import type { LayerSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { MAP_COLOURS } from '../../../map-classes.ts';
import type { PoiArchive } from '../catalogue/catalogue.ts';
import type { Point } from '../state/codecs.ts';
import { FONT } from './base-map.ts';
import { addressOf } from './new-map.ts';
import { AREA, type Scheme } from './paint.ts';

/** Begins the ids of the sources of POIs and lines, and of their layers. */
export const POIS = 'pois-';
/** Zoom of the tiles that have names of POIs; from there, routes have theirs too. */
const NAMES_ZOOM = 14;
const [NAMES, HALO] = ['-names', '-halo'];
/** Distance from a line, in pixels, within which it is pointed at. */
const NEAR = 4;

/** A POI as drawn; its place is that of the tile, and its name is null at low zooms. */
export interface DrawnPoi extends Point {
  readonly dest_id: number;
  readonly name: string | null;
}

/** POIs as dots over the blocks and lines of transit below them, with names at high zooms. */
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
      for (const part of [NAMES, '', HALO]) {
        if (this.#map.getLayer(POIS + i + part)) this.#map.removeLayer(POIS + i + part);
      }
      this.#map.removeSource(POIS + i);
    }
    this.#shown = next;
    next.forEach(({ url }, i) => {
      this.#map.addSource(POIS + i, { type: 'vector', url: addressOf(url) });
    });
    // Outlines of blocks and of the chosen area lie over lines, and so do labels of the base map.
    const outlines = `${AREA}${HALO}`;
    const labels = this.#firstLabels() ?? outlines;
    for (const [i, { of }] of next.entries()) {
      if (of === 'lines') {
        for (const layer of linesOf(POIS + i)) {
          this.#map.addLayer(layer, layer.type === 'symbol' ? outlines : labels);
        }
      } else {
        for (const layer of dotsOf(POIS + i)) this.#map.addLayer(layer);
      }
    }
    this.paint(scheme);
  }

  paint(scheme: Scheme): void {
    const { halo, chosen, route } = MAP_COLOURS[scheme];
    const map = this.#map;
    for (const [i, { of }] of this.#shown.entries()) {
      const id = POIS + i;
      map.setPaintProperty(id + NAMES, 'text-color', chosen);
      map.setPaintProperty(id + NAMES, 'text-halo-color', halo);
      if (of === 'lines') {
        map.setPaintProperty(id + HALO, 'line-color', halo);
        map.setPaintProperty(id, 'line-color', ['coalesce', ['get', 'color'], route]);
        continue;
      }
      map.setPaintProperty(id, 'circle-color', of === 'stops' ? halo : chosen);
      map.setPaintProperty(id, 'circle-stroke-color', of === 'stops' ? chosen : halo);
    }
  }

  #firstLabels(): string | undefined {
    return this.#map.getLayersOrder().find((id) => this.#map.getLayer(id)?.type === 'symbol');
  }

  /** The POI at a point of the map in pixels; null if there is none. */
  at(at: [number, number]): DrawnPoi | null {
    const layers = this.#layers(({ of }) => of !== 'lines');
    if (layers.length === 0) return null;
    const [found] = this.#map.queryRenderedFeatures(at, { layers });
    if (found?.geometry.type !== 'Point') return null;
    const [lon, lat] = found.geometry.coordinates;
    return { dest_id: Number(found.id), name: found.properties.name ?? null, lat, lon };
  }

  /** Words for the routes at a point of the map in pixels; null if there are none. */
  routesAt([x, y]: [number, number]): string | null {
    const layers = this.#layers(({ of }) => of === 'lines');
    if (layers.length === 0) return null;
    const box: [[number, number], [number, number]] = [
      [x - NEAR, y - NEAR],
      [x + NEAR, y + NEAR],
    ];
    const found = this.#map.queryRenderedFeatures(box, { layers });
    const names = [...new Set(found.map(({ properties }) => String(properties.name)))];
    const sorted = names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    if (sorted.length === 0) return null;
    return `${sorted.length === 1 ? 'Route' : 'Routes'} ${sorted.join(', ')}`;
  }

  #layers(isWanted: (one: PoiArchive) => boolean): string[] {
    return this.#shown.flatMap((one, i) => (isWanted(one) ? [POIS + i] : []));
  }
}

function dotsOf(source: string): LayerSpecification[] {
  const from = { source, 'source-layer': 'pois' };
  return [
    {
      id: source,
      type: 'circle',
      ...from,
      paint: {
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 11, 2, 16, 6],
        'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 11, 0.5, 16, 2],
      },
    },
    {
      id: source + NAMES,
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
    },
  ];
}

function linesOf(source: string): LayerSpecification[] {
  const from = { source, 'source-layer': 'lines' };
  const layout = { 'line-cap': 'round', 'line-join': 'round' } as const;
  const width = (narrow: number, more: number) => ['+', more, ['case', ['has', 'rail'], narrow, 0]];
  const widths = (more: number) =>
    ['interpolate', ['linear'], ['zoom'], 11, width(1, 1 + more), 16, width(2, 3 + more)] as never;
  return [
    { id: source + HALO, type: 'line', ...from, layout, paint: { 'line-width': widths(1.5) } },
    { id: source, type: 'line', ...from, layout, paint: { 'line-width': widths(0) } },
    {
      id: source + NAMES,
      type: 'symbol',
      ...from,
      minzoom: NAMES_ZOOM,
      layout: {
        'symbol-placement': 'line',
        'text-field': ['get', 'name'],
        'text-font': [FONT],
        'text-size': 12,
      },
      paint: { 'text-halo-width': 2 },
    },
  ];
}
