import { around, distance } from 'geokdbush';
import KDBush from 'kdbush';
import { DestDirectory } from '../../shards/dest-ids/dest-directory.ts';
import { readOutlines } from '../../shards/fgb/outlines.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { boxOf, edgesOf } from '../../shards/geometry/wgs84.ts';
import { BlockIndex } from '../../shards/index/block-index.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import { type CountyFips, type DestId, MICRO, toStored } from '../../shards/units.ts';
import type { DestinationFacts } from '../destinations/destination.ts';
import { putObject } from '../publish/put-object.ts';
import type { RegionCounty } from '../receipts/region-receipt.ts';

/** The county each destination is at home in: it tells of it and holds its catchment. */
export interface Homes {
  /** By home, ascending by `destId`. */
  readonly destinationsOf: ReadonlyMap<CountyFips, readonly DestinationFacts[]>;
  /** By home, the counties whose rows may lead to one of them. */
  readonly toldIn: ReadonlyMap<CountyFips, ReadonlySet<CountyFips>>;
}

/**
 * Gives each destination that a county's rows may lead to its home: the county whose polygons hold
 * it, on a border the one with the lowest GEOID. One outside all counties of the release (at sea,
 * abroad, in a county not built) is at home with the nearest block of those that may lead to it.
 * None of it depends on which regions the counties were built in. `destinations` ascend by `destId`,
 * `counties` by code.
 */
export async function findHomes(
  store: Store,
  destinations: readonly DestinationFacts[],
  counties: ReadonlyMap<CountyFips, RegionCounty>,
): Promise<Homes> {
  const homes: (CountyFips | undefined)[] = new Array(destinations.length);
  await findHolders(store, destinations, counties, homes);
  const ordinals = new Map<DestId, number>(destinations.map(({ destId }, i) => [destId, i]));
  const told = new Map<CountyFips, number[]>();
  for (const [county, { searched }] of counties) {
    const { targets } = await Matrix.open(store, searched.objects.pois);
    told.set(
      county,
      Array.from(targets, (destId) => ordinals.get(destId)!),
    );
  }
  await findNearest(store, destinations, counties, told, homes);

  const destinationsOf = new Map<CountyFips, DestinationFacts[]>();
  destinations.forEach((destination, i) => {
    const own = destinationsOf.get(homes[i]!);
    if (own) own.push(destination);
    else destinationsOf.set(homes[i]!, [destination]);
  });
  const toldIn = new Map(
    [...destinationsOf.keys()].map((county) => [county, new Set<CountyFips>()]),
  );
  for (const [county, ordinals] of told) {
    for (const ordinal of ordinals) toldIn.get(homes[ordinal]!)!.add(county);
  }
  return { destinationsOf, toldIn };
}

/** Sets the homes of what lies in some county's blocks. */
async function findHolders(
  store: Store,
  destinations: readonly DestinationFacts[],
  counties: ReadonlyMap<CountyFips, RegionCounty>,
  homes: (CountyFips | undefined)[],
): Promise<void> {
  const points = new KDBush(destinations.length);
  for (const { lon, lat } of destinations) points.add(lon, lat);
  points.finish();
  for (const [county, { searched }] of counties) {
    const near = points.range(...searched.block_box).filter((i) => homes[i] === undefined);
    if (near.length === 0) continue;
    const { blocks } = searched.objects;
    const areas = new AreaIndex(readOutlines(blocks.name, await readVerified(store, blocks)));
    for (const i of near) {
      const { lon, lat } = destinations[i];
      if (areas.at(lon * MICRO, lat * MICRO).length > 0) homes[i] = county;
    }
  }
}

/** Sets the homes of what lies in no county's blocks. `told`: what each county may lead to. */
async function findNearest(
  store: Store,
  destinations: readonly DestinationFacts[],
  counties: ReadonlyMap<CountyFips, RegionCounty>,
  told: ReadonlyMap<CountyFips, readonly number[]>,
  homes: (CountyFips | undefined)[],
): Promise<void> {
  const nearest = new Map<number, number>();
  for (const [county, { searched }] of counties) {
    const outside = told.get(county)!.filter((i) => homes[i] === undefined || nearest.has(i));
    if (outside.length === 0) continue;
    const { name } = searched.objects.index;
    const index = BlockIndex.decode(name, await readVerified(store, searched.objects.index));
    const centres = new KDBush(index.count);
    for (let i = 0; i < index.count; i++) centres.add(index.lon[i] / MICRO, index.lat[i] / MICRO);
    centres.finish();
    for (const i of outside) {
      const { lon, lat } = destinations[i];
      const [block] = around(centres, lon, lat, 1);
      const away = distance(lon, lat, index.lon[block] / MICRO, index.lat[block] / MICRO);
      if (away >= (nearest.get(i) ?? Number.POSITIVE_INFINITY)) continue;
      nearest.set(i, away);
      homes[i] = county;
    }
  }
}

/** Stores which `dest_id` is at home where. */
export function putDestIds(store: WritableStore, { destinationsOf }: Homes): Promise<ObjectRef> {
  const ids = [...destinationsOf].flatMap(([county, destinations]) =>
    destinations.map(({ destId }) => ({ id: destId, county })),
  );
  ids.sort((a, b) => a.id - b.id);
  return putObject(store, 'dest-ids/all', 'tta', DestDirectory.encode(ids));
}

/**
 * West, south, east and north edge around some destinations as they are stored, so that a search
 * at the very spot of the outermost finds it; null around none.
 */
export function boxOfDestinations(
  destinations: readonly DestinationFacts[],
): [number, number, number, number] | null {
  return destinations.length === 0
    ? null
    : edgesOf(boxOf(destinations.map(({ lon, lat }) => [toStored(lon), toStored(lat)])));
}
