import 'maplibre-gl/dist/maplibre-gl.css';
import {
  AttributionControl,
  addProtocol,
  Map as MapLibreMap,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl';
import { PMTiles, Protocol } from 'pmtiles';
import type { Units } from '../../formats.ts';
import type { BaseMap } from '../catalogue/base-map-style.ts';
import type { MapPosition } from '../state/map-state.ts';
import { ArchiveSource } from '../tiles/archive-source.ts';
import { PADDING } from '../tiles/frame.ts';
import { baseMapStyle } from './base-map.ts';
import { workerUrl } from './map-libre.ts';
import { AREA, borderOf, layersOf, type Scheme } from './paint.ts';

export interface NewMapParts {
  readonly container: HTMLElement;
  readonly title: string;
  readonly describedBy: string;
  readonly blocksUrl: string;
  /** `null`: there is no base map under the blocks. */
  readonly baseMap: BaseMap | null;
  /** An archive of bands, shown or not. */
  readonly bandsUrl: string;
  readonly bounds: readonly number[];
  readonly isFictional: boolean;
  readonly units: Units;
  readonly position: MapPosition | null;
  readonly scheme: Scheme;
  /** Whether the map is in a page of another site, which one finger and the wheel scroll. */
  readonly isEmbedded: boolean;
}

const MAX_ZOOM = 18;
const SOURCES =
  '© <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> · US Census Bureau';
const MAP_LIBRE = '<a href="https://maplibre.org/">MapLibre</a>';

setWorkerUrl(workerUrl);
const protocol = new Protocol();
addProtocol('pmtiles', protocol.tile);

/** Creates a map of a release, north up, with its sources, layers and controls. */
export function newMap(parts: NewMapParts): MapLibreMap {
  const { container, bounds, blocksUrl, bandsUrl, baseMap, position, scheme } = parts;
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
        [AREA]: { type: 'geojson', data: borderOf(null) },
      },
      layers: layersOf(under, over),
    },
    ...(position
      ? placeOf(position)
      : { bounds: boundsOf(bounds), fitBoundsOptions: { padding: PADDING } }),
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
  map.addControl(
    new ScaleControl({ unit: parts.units === 'us' ? 'imperial' : 'metric' }),
    'bottom-left',
  );
  const customAttribution = [parts.isFictional ? 'Fictional city' : SOURCES, MAP_LIBRE].join(' · ');
  map.addControl(new AttributionControl({ compact: false, customAttribution }));
  map.getCanvas().setAttribute('aria-describedby', parts.describedBy);
  return map;
}

/**
 * Returns the address of an archive in a style. Opens the archive anew, since one that has failed
 * stays failed.
 */
export function addressOf(url: string): string {
  protocol.add(new PMTiles(new ArchiveSource(url)));
  return `pmtiles://${url}`;
}

export function placeOf({ zoom, lat, lon }: MapPosition) {
  return { zoom, center: [lon, lat] as [number, number] };
}

export function boundsOf(bounds: readonly number[]): [number, number, number, number] {
  const [west, south, east, north] = bounds;
  return [west, south, east, north];
}
