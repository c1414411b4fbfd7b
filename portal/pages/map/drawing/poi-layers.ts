import type { LayerSpecification, Map as MapLibreMap, SourceSpecification } from 'maplibre-gl';
import { MAP_COLOURS } from '../../../map-classes.ts';
import type { PoiArchive } from '../catalogue/catalogue.ts';
import type { Point } from '../state/codecs.ts';
import { addressOf, FONT } from './base-map.ts';

type Scheme = keyof typeof MAP_COLOURS;

/** Zoom of the tiles that have names of POIs; from there, routes have theirs too. */
const NAMES_ZOOM = 14;
/** Distance from a line, in pixels, within which it is pointed at. */
const NEAR = 4;

/** A POI as drawn; its place is that of the tile, and its name is null at low zooms. */
export interface DrawnPoi extends Point {
  readonly dest_id: number;
  readonly name: string | null;
}

/** The id of the source of an archive, and of the layer that is pointed at. */
function idOf({ url }: PoiArchive): string {
  return `pois ${url}`;
}

export function poiSources(pois: readonly PoiArchive[]): Record<string, SourceSpecification> {
  return Object.fromEntries(
    pois.map((one) => [idOf(one), { type: 'vector', url: addressOf(one.url) }]),
  );
}

/**
 * POIs as dots, with names at high zooms, and lines of transit, which outlines of blocks and of the
 * chosen area lie over, and labels of the base map too.
 */
export function poiLayers(pois: readonly PoiArchive[], scheme: Scheme) {
  const lines = pois.filter(({ of }) => of === 'lines');
  return {
    lines: lines.flatMap((one) => linesOf(idOf(one), scheme)),
    lineNames: lines.map((one) => namesOf(one, scheme)),
    dots: pois.filter(({ of }) => of !== 'lines').flatMap((one) => dotsOf(one, scheme)),
  };
}

/** The POI at a point of the map in pixels; null if there is none. */
export function poiAt(
  map: MapLibreMap,
  pois: readonly PoiArchive[],
  at: [number, number],
): DrawnPoi | null {
  const layers = drawnOf(map, pois, ({ of }) => of !== 'lines');
  if (layers.length === 0) return null;
  const [found] = map.queryRenderedFeatures(at, { layers });
  if (found?.geometry.type !== 'Point') return null;
  const [lon, lat] = found.geometry.coordinates;
  return { dest_id: Number(found.id), name: found.properties.name ?? null, lat, lon };
}

/** Words for the routes at a point of the map in pixels; null if there are none. */
export function routesAt(
  map: MapLibreMap,
  pois: readonly PoiArchive[],
  [x, y]: [number, number],
): string | null {
  const layers = drawnOf(map, pois, ({ of }) => of === 'lines');
  if (layers.length === 0) return null;
  const box: [[number, number], [number, number]] = [
    [x - NEAR, y - NEAR],
    [x + NEAR, y + NEAR],
  ];
  const found = map.queryRenderedFeatures(box, { layers });
  const names = [...new Set(found.map(({ properties }) => String(properties.name)))];
  const sorted = names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  if (sorted.length === 0) return null;
  return `${sorted.length === 1 ? 'Route' : 'Routes'} ${sorted.join(', ')}`;
}

/** The layers of some archives that are pointed at; none before the style of the map is loaded. */
function drawnOf(
  map: MapLibreMap,
  pois: readonly PoiArchive[],
  isWanted: (one: PoiArchive) => boolean,
): string[] {
  return pois
    .filter(isWanted)
    .map(idOf)
    .filter((id) => map.getLayer(id));
}

function dotsOf(archive: PoiArchive, scheme: Scheme): LayerSpecification[] {
  const { halo, chosen } = MAP_COLOURS[scheme];
  const isStop = archive.of === 'stops';
  return [
    {
      id: idOf(archive),
      type: 'circle',
      source: idOf(archive),
      'source-layer': 'pois',
      paint: {
        'circle-color': isStop ? halo : chosen,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 11, 2, 16, 6],
        'circle-stroke-color': isStop ? chosen : halo,
        'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 11, 0.5, 16, 2],
      },
    },
    namesOf(archive, scheme),
  ];
}

function linesOf(source: string, scheme: Scheme): LayerSpecification[] {
  const { halo, route } = MAP_COLOURS[scheme];
  const width = (narrow: number, more: number) => ['+', more, ['case', ['has', 'rail'], narrow, 0]];
  const line = (id: string, colour: unknown, more: number) =>
    ({
      id,
      type: 'line',
      source,
      'source-layer': 'lines',
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': colour,
        'line-width': [
          ...['interpolate', ['linear'], ['zoom']],
          ...[11, width(1, 1 + more), 16, width(2, 3 + more)],
        ],
      },
    }) as unknown as LayerSpecification;
  const colour = ['coalesce', ['get', 'color'], route];
  return [line(`${source}-halo`, halo, 1.5), line(source, colour, 0)];
}

/** Names below the dots of POIs, or along lines. */
function namesOf(archive: PoiArchive, scheme: Scheme): LayerSpecification {
  const { halo, chosen } = MAP_COLOURS[scheme];
  const isLine = archive.of === 'lines';
  return {
    id: `${idOf(archive)}-names`,
    type: 'symbol',
    source: idOf(archive),
    'source-layer': isLine ? 'lines' : 'pois',
    minzoom: NAMES_ZOOM,
    layout: {
      'text-field': ['get', 'name'],
      'text-font': [FONT],
      'text-size': 12,
      ...(isLine
        ? { 'symbol-placement': 'line' }
        : { 'text-anchor': 'top', 'text-offset': [0, 0.6], 'text-optional': true }),
    },
    paint: { 'text-color': chosen, 'text-halo-color': halo, 'text-halo-width': 2 },
  };
}
