import { useMemo } from 'preact/hooks';
import type { Polygon } from '../../../../shards/geometry/polygon.ts';
import {
  boxAroundPoint,
  boxOf,
  bufferBox,
  edgesOf,
  localDistance,
  metresPerDegreeLat,
  metresPerDegreeLon,
} from '../../../../shards/geometry/wgs84.ts';
import { isTransit, SLOW_WALK_KMH } from '../../../../shards/modes.ts';
import { type Area as ApiArea, ApiError, type Client } from '../../../client/src/index.ts';
import { keylessClient } from '../../api/clients.ts';
import { type Loaded, useFresh, useLoaded } from '../../api/use-loaded.ts';
import {
  type Area,
  type Circle,
  COUNTY_DIGITS,
  PLACE_DIGITS,
  TRACT_DIGITS,
} from '../state/area.ts';
import { useMap } from '../state/map-context.ts';
import { type Box, namesAround, pointsAround } from '../tiles/vector-tiles.ts';
import { type CountyBands, geoidText } from './block-bands.ts';
import {
  type CountyBlocks,
  countiesIn,
  countiesNear,
  countyNamesIn,
  join,
  type NamedCounty,
} from './coloured-blocks.ts';
import { boxInView, useNearby, widened } from './near-map.ts';

/** The blocks of a chosen area, from the public block bands. */
export interface AreaBlocks {
  readonly area: Area;
  /** `Port Meridian`, `Meridian County, XA`, `the drawn area`. */
  readonly name: string;
  readonly counties: readonly CountyBands[];
  readonly blocks: CountyBlocks;
  /** Positions of the blocks whose centre is in the area. */
  readonly inside: readonly number[];
  /** Its border, where it is known. */
  readonly outline: readonly Polygon[] | null;
}

/** `far`: it is too far from the map, outside the release, or has too many counties. */
export type LoadedArea = Loaded<AreaBlocks, 'none' | 'far' | 'invalid'>;

/** The blocks of an area, found for free and without a key. */
export function useAreaBlocks(area: Area | null): LoadedArea {
  const found = useNearby(area, (wanted, view) => areaBlocks(keylessClient, wanted, view));
  if (found.state !== 'here') return found;
  const { value } = found;
  return value === 'invalid' ? { state: value, value: null } : { state: 'here', value };
}

async function areaBlocks(
  api: Client,
  area: Area,
  view: Box,
): Promise<AreaBlocks | 'invalid' | null> {
  if (typeof area !== 'string') {
    if ('metres' in area) return blocksInCircle(api, area);
    return blocksInPolygons(api, area, { area, name: 'the drawn area' });
  }
  if (area.length === PLACE_DIGITS) {
    const boundary = await api.getPlaceBoundary({ geoid: area }).catch((error) => {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    });
    if (boundary === null) return null;
    const { geometry, properties } = boundary.data;
    const { type, coordinates } = geometry;
    const polygons = type === 'Polygon' ? [coordinates] : coordinates;
    return blocksInPolygons(api, polygons as unknown as Polygon[], { area, name: properties.name });
  }
  const codes = new Set([Number(area.slice(0, COUNTY_DIGITS))]);
  const counties = await countiesNear(api, widened(view), codes);
  const county = counties?.[0]?.name ?? `county ${area.slice(0, COUNTY_DIGITS)}`;
  const name = area.length === TRACT_DIGITS ? `tract ${area}` : county;
  const first = Number(area.padEnd(GEOID_DIGITS, '0'));
  const end = first + 10 ** (GEOID_DIGITS - area.length);
  const outline = null;
  return chosen(counties, { area, name, outline }, ({ geoids }) =>
    Array.from(geoids.keys()).filter((i) => geoids[i] >= first && geoids[i] < end),
  );
}

const GEOID_DIGITS = 15;

type Named = Pick<AreaBlocks, 'area' | 'name'>;

async function blocksInPolygons(api: Client, outline: readonly Polygon[], named: Named) {
  const points = outline.flatMap(([shell]) => shell);
  const { polygonFault, SweepLine } = await import('../../../../shards/geometry/sweep-line.ts');
  if (outline.some((polygon) => polygonFault(polygon) !== null)) return 'invalid';
  const sweep = new SweepLine(outline);
  const counties = await countiesIn(api, edgesOf(boxOf(points)));
  return chosen(counties, { ...named, outline }, ({ lon, lat }) => {
    // The sweep is fastest from west to east.
    const fromWest = Array.from(lon.keys()).sort((a, b) => lon[a] - lon[b]);
    return fromWest.filter((i) => sweep.isInside(lon[i], lat[i])).sort((a, b) => a - b);
  });
}

async function blocksInCircle(api: Client, area: Circle) {
  const { lat, lon, metres } = area;
  const counties = await countiesIn(api, edgesOf(boxAroundPoint(lon, lat, metres)));
  const named = { area, name: 'the circle', outline: [[ringAround(area)]] };
  return chosen(counties, named, (blocks) =>
    Array.from(blocks.lon.keys()).filter(
      (i) => localDistance(lon, lat, blocks.lon[i], blocks.lat[i]) <= metres,
    ),
  );
}

function chosen(
  counties: readonly CountyBands[] | null,
  named: Named & Pick<AreaBlocks, 'outline'>,
  insideOf: (blocks: CountyBlocks) => readonly number[],
): AreaBlocks | null {
  if (counties === null) return null;
  const blocks = join(counties);
  const inside = insideOf(blocks);
  return inside.length === 0 ? null : { ...named, counties, blocks, inside };
}

const CIRCLE_CORNERS = 64;

function ringAround({ lat, lon, metres }: Circle): Polygon[number] {
  const [north, east] = [metres / metresPerDegreeLat(lat), metres / metresPerDegreeLon(lat)];
  return Array.from({ length: CIRCLE_CORNERS + 1 }, (_, i) => {
    const angle = (2 * Math.PI * i) / CIRCLE_CORNERS;
    return [lon + east * Math.cos(angle), lat + north * Math.sin(angle)] as const;
  });
}

/** The area as the API takes it. */
export function bodyOf({ area, blocks, inside }: AreaBlocks): ApiArea {
  if (typeof area !== 'string') {
    if (!('metres' in area)) {
      return { polygon: { type: 'MultiPolygon', coordinates: area } };
    }
    const { lat, lon, metres } = area;
    return { center: { lat, lon }, radius_m: metres };
  }
  if (area.length === COUNTY_DIGITS) return { counties: [area] };
  if (area.length === PLACE_DIGITS) return { places: [area] };
  return { blocks: inside.map((i) => geoidText(blocks.geoids[i])) };
}

export function geoidsOf({ blocks, inside }: AreaBlocks): ReadonlySet<number> {
  return new Set(inside.map((i) => blocks.geoids[i]));
}

/** The people of an area; an unknown population counts as 0. */
export function peopleIn({ blocks, inside }: AreaBlocks): number {
  return inside.reduce((sum, i) => sum + (blocks.population[i] ?? 0), 0);
}

/** Blocks reach this far beyond their centres; hardly any is larger. */
const BLOCK_METRES = 2_000;
/** Metres a minute that hardly any ride exceeds. */
const FASTEST_RIDE = 1_500;

interface Trips {
  readonly mode: string;
  readonly minutes: number;
}

/** How far trips get; hardly any is faster than level ground by more than the factors here. */
async function metresOf(api: Client, { mode, minutes }: Trips): Promise<number> {
  if (isTransit(mode)) return minutes * FASTEST_RIDE;
  const { assumptions } = (await api.getIsochroneMeta()).data;
  const { walk_speed_kmh: walk = 4.8, bike_speed_kmh: bike = 15 } = assumptions;
  const perHour = mode === 'bike' ? 1.4 * bike : 1.25 * Math.max(walk, SLOW_WALK_KMH);
  return (1000 * perHour * minutes) / 60;
}

function boxAround({ blocks: { lon, lat }, inside }: AreaBlocks, metres: number): Box {
  const box = boxOf(inside.map((i) => [lon[i], lat[i]] as const));
  return edgesOf(bufferBox(box, metres + BLOCK_METRES));
}

/** The names of the POIs of some archives around an area, by their ids; empty until loaded. */
export function usePoiNames(
  urls: readonly string[],
  area: AreaBlocks | null,
  trips: Trips,
): ReadonlyMap<number, string> {
  const names = usePoisOf(urls, area, trips, namesAround);
  return useMemo(() => new Map(names?.flat()), [names]);
}

/**
 * The most POIs that some archives have within reach of an area; null while they are not counted,
 * and without an area or an archive.
 */
export function usePoisAround(
  urls: readonly string[],
  area: AreaBlocks | null,
  trips: Trips,
): number | null {
  const counts = usePoisOf(urls, area, trips, pointsAround);
  return counts?.reduce((sum, one) => sum + one, 0) ?? null;
}

/** Reads each of some archives of POIs around an area; null until read. */
function usePoisOf<Read>(
  urls: readonly string[],
  area: AreaBlocks | null,
  trips: Trips,
  read: (url: string, around: Box, layer: string) => Promise<Read>,
): readonly Read[] | null {
  const loaded = useFresh(async () => {
    if (area === null || urls.length === 0) return null;
    const around = boxAround(area, await metresOf(keylessClient, trips));
    return Promise.all(urls.map((url) => read(url, around, 'pois')));
  }, [JSON.stringify([urls, area?.area, trips])]);
  return loaded.value;
}

/** The counties in view; empty while they are not known, and if there are too many. */
export function useCountiesInView(): readonly NamedCounty[] {
  const { catalogue, state } = useMap();
  const { position } = state;
  const { bounds } = catalogue;
  const counties = useLoaded(
    () => countyNamesIn(keylessClient, boxInView(position, bounds)),
    [position, bounds],
  );
  return counties.value ?? [];
}
