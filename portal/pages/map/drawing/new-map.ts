import 'maplibre-gl/dist/maplibre-gl.css';
import {
  AttributionControl,
  addProtocol,
  Map as MapLibreMap,
  NavigationControl,
  ScaleControl,
  type StyleSpecification,
  setWorkerUrl,
} from 'maplibre-gl';
import { PMTiles, Protocol } from 'pmtiles';
import type { Units } from '../../formats.ts';
import type { MapPosition } from '../state/map-state.ts';
import { ArchiveSource } from '../tiles/archive-source.ts';
import { PADDING } from '../tiles/frame.ts';
import { addressOf } from './base-map.ts';
import { workerUrl } from './map-libre.ts';

export interface NewMapParts {
  readonly container: HTMLElement;
  readonly title: string;
  readonly describedBy: string;
  readonly bounds: readonly number[];
  readonly isFictional: boolean;
  readonly units: Units;
  readonly position: MapPosition | null;
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

/** Creates a map of a release, north up, with its controls. */
export function newMap(parts: NewMapParts, style: StyleSpecification): MapLibreMap {
  const { container, bounds, position } = parts;
  openArchives(style, null);
  const map = new MapLibreMap({
    container,
    style,
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
 * Opens the archives that a style has and the one before it had not: anew, since one that has
 * failed stays failed.
 */
export function openArchives(style: StyleSpecification, before: StyleSpecification | null): void {
  const open = new Set(before && addressesIn(before));
  for (const address of addressesIn(style)) {
    if (open.has(address) || !address.startsWith(addressOf(''))) continue;
    protocol.add(new PMTiles(new ArchiveSource(address.slice(addressOf('').length))));
  }
}

function addressesIn({ sources }: StyleSpecification): readonly string[] {
  return Object.values(sources).flatMap((source) => ('url' in source && source.url) || []);
}

export function placeOf({ zoom, lat, lon }: MapPosition) {
  return { zoom, center: [lon, lat] as [number, number] };
}

export function boundsOf(bounds: readonly number[]): [number, number, number, number] {
  const [west, south, east, north] = bounds;
  return [west, south, east, north];
}
