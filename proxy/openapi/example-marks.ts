import type { BlockIndex } from '../../shards/blocks/block-index.ts';
import { type Geoid, geoidFromNumber } from '../../shards/geoid.ts';
import { worldX, worldY } from '../../shards/geometry/web-mercator.ts';
import type { TileAddress } from '../../shards/pmtiles/tile-id.ts';
import type { Release } from '../../shards/release/release.ts';
import { type CountyBlock, type Degrees, type DestId, MICRO } from '../../shards/units.ts';
import type { ExampleMarks } from '../endpoint.ts';
import { explain } from '../endpoints/explain.ts';
import { poiDetail } from '../endpoints/poi-detail.ts';
import { pointPois } from '../endpoints/poi-times.ts';
import { Problem } from '../http/problem.ts';
import { blocksOfPlace, locatePlace } from '../queries/areas/places.ts';
import type { ExampleResponses } from './example-responses.ts';

/**
 * Maximum number of places, of counties, and of blocks of each that are examined; the first nearly
 * always suffices.
 */
const MAX_EXAMINED = 16;
const ROWS_EXAMINED = 100;
/** Maximum number of trips whose legs are examined. */
const TRIPS_EXAMINED = 8;
const ZOOM = 12;
/** A type that readers of all countries know, where a block reaches one. */
const GROCERY_STORES = 101;

interface Candidate {
  readonly geoid: Geoid;
  readonly point: ExampleMarks['point'];
  readonly place: ExampleMarks['place'];
}

/**
 * Finds sample data for examples: a block from which a POI is reached, in a census place if
 * possible. Null if none of the examined blocks qualifies.
 */
export async function findMarks(
  release: Release,
  responses: ExampleResponses,
): Promise<ExampleMarks | null> {
  const [{ mode }] = release.services;
  for await (const { geoid, point, place } of candidates(release)) {
    const found =
      (await nearestPoi(responses, geoid, { ...point, mode: [mode], type: [GROCERY_STORES] })) ??
      (await nearestPoi(responses, geoid, { ...point, mode: [mode] }));
    if (found === null) continue;
    const { dest_id, lat, lon } = found;
    const detail = await responses.json(poiDetail, { dest_id });
    const types = detail.type_ids as number[];
    const type = types.includes(GROCERY_STORES) ? GROCERY_STORES : types[0];
    return {
      release: release.version,
      block: geoid,
      point,
      mode,
      poi: { dest_id, lat, lon },
      maxMinutes: Math.ceil(found.travel_time),
      type,
      trip: (await rideFrom(release, responses, geoid, point)) ?? { dest_id, mode },
      place,
      tile: await tileAt(release, `${mode}-${type}`, point),
    };
  }
  return null;
}

/** Returns the POI nearest to a point of a block; null if none is reached. */
async function nearestPoi(responses: ExampleResponses, geoid: Geoid, query: object) {
  const parameters = { ...query, limit: ROWS_EXAMINED };
  const found = await responses.json(pointPois, parameters).catch(onProblem);
  // On a border, a point may resolve to the neighbouring block.
  if (found?.resolved_block !== geoid) return null;
  const rows = found.results as (ExampleMarks['poi'] & { travel_time: number })[];
  if (rows.length === 0) return null;
  return rows.reduce((a, b) => (b.travel_time < a.travel_time ? b : a));
}

/** Finds a transit trip from a block to a POI that includes a ride; null if none is found. */
async function rideFrom(
  release: Release,
  responses: ExampleResponses,
  geoid: Geoid,
  point: ExampleMarks['point'],
): Promise<ExampleMarks['trip'] | null> {
  const mode = 'transit';
  if (release.positionOf(mode) === -1) return null;
  const parameters = { ...point, mode: [mode], limit: ROWS_EXAMINED };
  const found = await responses.json(pointPois, parameters).catch(onProblem);
  const rows = (found?.results ?? []) as { dest_id: DestId; travel_time: number }[];
  // The longer a trip, the likelier a ride.
  const longest = rows.toSorted((a, b) => b.travel_time - a.travel_time);
  for (const { dest_id } of longest.slice(0, TRIPS_EXAMINED)) {
    const trip = { dest_id, mode } as const;
    // A trip that cannot be explained, even because of damage, must not cost the other examples.
    const explained = await responses.json(explain, { geoid, ...trip }).catch(() => null);
    const legs = (explained?.legs ?? []) as { route?: string }[];
    if (legs.some(({ route }) => route !== undefined)) return trip;
  }
  return null;
}

/**
 * Maps a problem, such as a missing object, to no example; rethrows any other error, such as a
 * store failure.
 */
function onProblem(error: unknown): null {
  if (error instanceof Problem) return null;
  throw error;
}

/** Blocks of the first census places, then of the first counties. */
async function* candidates(release: Release): AsyncGenerator<Candidate> {
  let places = 0;
  for (const state of Object.values(release.manifest.states)) {
    if (places >= MAX_EXAMINED) break;
    const table = await release.places(state);
    for (const { geoid, name } of table.places) {
      if (places++ >= MAX_EXAMINED) break;
      const located = await locatePlace(release, geoid);
      for await (const { index, ordinals } of blocksOfPlace(release, located, 0)) {
        yield* routable(index, ordinals, { geoid, name });
      }
    }
  }
  for (const { manifest } of release.counties.slice(0, MAX_EXAMINED)) {
    const index = await release.index(manifest);
    yield* routable(index, index.geoids.keys(), null);
  }
}

function* routable(
  index: BlockIndex,
  ordinals: Iterable<CountyBlock>,
  place: Candidate['place'],
): Generator<Candidate> {
  let examined = 0;
  for (const ordinal of ordinals) {
    if (!index.isFullyRoutable(ordinal)) continue;
    if (examined++ === MAX_EXAMINED) return;
    const geoid = geoidFromNumber(index.geoids[ordinal]);
    const point = { lat: index.lat[ordinal] / MICRO, lon: index.lon[ordinal] / MICRO };
    yield { geoid, point, place };
  }
}

/**
 * Returns the tile of an archive that contains a point, at the zoom level of the archive closest to
 * `ZOOM`; null if the release has no such archive.
 */
async function tileAt(
  release: Release,
  name: string,
  { lat, lon }: { lat: Degrees; lon: Degrees },
): Promise<TileAddress | null> {
  if (!Object.hasOwn(release.manifest.tiles, name)) return null;
  const { header } = await release.tiles(release.manifest.tiles[name]);
  const z = Math.max(header.minZoom, Math.min(ZOOM, header.maxZoom));
  return { z, x: Math.floor(worldX(lon) * 2 ** z), y: Math.floor(worldY(lat) * 2 ** z) };
}
