import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { DestDirectory } from '../../shards/dest-ids/dest-directory.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { ringsOf } from '../../shards/geometry/rings-of.ts';
import { boxOf, edgesOf } from '../../shards/geometry/wgs84.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import { type CountyFips, MICRO } from '../../shards/units.ts';
import type { CensusBlock } from '../census/blocks.ts';
import type { Destination } from '../destinations/destination.ts';
import { putObject } from '../publish/put-object.ts';

/** The places at home in each county, ascending by `destId`. */
export type Homes = ReadonlyMap<CountyFips, readonly Destination[]>;

/**
 * Gives each place a home, the county that tells of it and holds its catchment: that of the block
 * it lies in, or, outside all blocks of the release, of the block whose centre is nearest. Places
 * that no county has in scope are nobody's.
 */
export function homesByCounty(
  destinations: readonly Destination[],
  inScope: ReadonlySet<number>,
  blocks: readonly CensusBlock[],
): Homes {
  const areas = new AreaIndex(ringsOf(blocks.map(({ area }) => area)));
  const centres = new KDBush(blocks.length);
  for (const { lon, lat } of blocks) centres.add(lon, lat);
  centres.finish();
  const homes = new Map<CountyFips, Destination[]>();
  destinations.forEach((place, ordinal) => {
    if (!inScope.has(ordinal)) return;
    const { lon, lat } = place;
    const [inside] = areas.at(lon * MICRO, lat * MICRO);
    const [block] = inside === undefined ? around(centres, lon, lat, 1) : [inside];
    const { county } = blocks[block];
    const own = homes.get(county);
    if (own) own.push(place);
    else homes.set(county, [place]);
  });
  return homes;
}

/** Stores which `dest_id` is at home where. */
export function putDestIds(store: WritableStore, homes: Homes): Promise<ObjectRef> {
  const ids = [...homes].flatMap(([county, places]) =>
    places.map(({ destId }) => ({ id: destId, county })),
  );
  ids.sort((a, b) => a.id - b.id);
  return putObject(store, 'dest-ids/all', 'tta', DestDirectory.encode(ids));
}

/** West, south, east and north edge around some places; null around none. */
export function boxOfPlaces(
  places: readonly Destination[],
): [number, number, number, number] | null {
  return places.length === 0 ? null : edgesOf(boxOf(places.map(({ lon, lat }) => [lon, lat])));
}
