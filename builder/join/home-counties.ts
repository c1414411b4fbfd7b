import { around, distance } from 'geokdbush';
import KDBush from 'kdbush';
import { ordinalsOf } from '../../shards/arrays/sorted.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { readOutlines } from '../../shards/fgb/outlines.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { DestDirectory } from '../../shards/pois/dest-directory.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import { type CountyFips, MICRO } from '../../shards/units.ts';
import { putObject } from '../publish/put-object.ts';
import type { RegionCounty } from '../receipts/region-receipt.ts';
import type { KnownDestinations } from './known-destinations.ts';

/** The home county of each destination, which lists the destination and stores its catchment. */
export interface HomeCounties {
  /** The ordinals of the destinations at home in each county, ascending. */
  readonly destinationsOf: ReadonlyMap<CountyFips, Uint32Array>;
  /** Per home county, the counties whose rows may lead to any of its destinations, ascending. */
  readonly countiesReaching: ReadonlyMap<CountyFips, ReadonlySet<CountyFips>>;
}

/** Marks a destination without a home so far; other values are ordinals of counties. */
const NONE = 0xffff;

/**
 * Assigns a home county to each destination that a county's rows may lead to: the county whose
 * polygons contain the destination, or, on a border, the one with the lowest GEOID. A destination
 * outside all counties of the release (at sea, abroad, in a county not built) is assigned to the
 * county of the nearest block among those that may lead to it. The result does not depend on which
 * regions the counties were built in. `counties` ascend by code.
 */
export async function findHomeCounties(
  store: Store,
  known: KnownDestinations,
  counties: ReadonlyMap<CountyFips, RegionCounty>,
): Promise<HomeCounties> {
  const homes = new Uint16Array(known.destIds.length).fill(NONE);
  await findHolders(store, known, counties, homes);
  const reachedFrom = new Map<CountyFips, Uint32Array>();
  for (const [county, { searched }] of counties) {
    const { targets } = await Matrix.open(store, searched.objects.pois);
    reachedFrom.set(county, ordinalsOf(known.destIds, targets));
  }
  await findNearest(store, known, counties, reachedFrom, homes);

  const codes = [...counties.keys()];
  const counts = new Uint32Array(codes.length);
  for (const home of homes) counts[home]++;
  const destinationsOf = new Map<CountyFips, Uint32Array>();
  const lists = codes.map((county, i) => {
    const own = new Uint32Array(counts[i]);
    if (own.length > 0) destinationsOf.set(county, own);
    return own;
  });
  const next = new Uint32Array(codes.length);
  for (const [ordinal, home] of homes.entries()) lists[home][next[home]++] = ordinal;
  const countiesReaching = new Map(
    [...destinationsOf.keys()].map((county) => [county, new Set<CountyFips>()]),
  );
  for (const [county, ordinals] of reachedFrom) {
    for (const home of new Set(ordinals.map((ordinal) => homes[ordinal]))) {
      countiesReaching.get(codes[home])!.add(county);
    }
  }
  return { destinationsOf, countiesReaching };
}

/** Sets the homes of destinations within the blocks of any county. */
async function findHolders(
  store: Store,
  { destIds, lon, lat }: KnownDestinations,
  counties: ReadonlyMap<CountyFips, RegionCounty>,
  homes: Uint16Array,
): Promise<void> {
  const points = new KDBush(destIds.length);
  for (let i = 0; i < destIds.length; i++) points.add(lon[i], lat[i]);
  points.finish();
  let home = 0;
  for (const { searched } of counties.values()) {
    const near = points.range(...searched.block_box).filter((i) => homes[i] === NONE);
    if (near.length > 0) {
      const { blocks } = searched.objects;
      const areas = new AreaIndex(readOutlines(blocks.name, await readVerified(store, blocks)));
      for (const i of near) {
        if (areas.at(lon[i] * MICRO, lat[i] * MICRO).length > 0) homes[i] = home;
      }
    }
    home++;
  }
}

/**
 * Sets the homes of destinations outside all blocks. `reachedFrom`: the destinations that each
 * county's blocks may reach.
 */
async function findNearest(
  store: Store,
  { lon, lat }: KnownDestinations,
  counties: ReadonlyMap<CountyFips, RegionCounty>,
  reachedFrom: ReadonlyMap<CountyFips, Uint32Array>,
  homes: Uint16Array,
): Promise<void> {
  const nearest = new Map<number, number>();
  let home = 0;
  for (const [county, { searched }] of counties) {
    const outside = reachedFrom.get(county)!.filter((i) => homes[i] === NONE || nearest.has(i));
    if (outside.length > 0) {
      const { name } = searched.objects.index;
      const index = BlockIndex.decode(name, await readVerified(store, searched.objects.index));
      const centres = new KDBush(index.count);
      for (let i = 0; i < index.count; i++) centres.add(index.lon[i] / MICRO, index.lat[i] / MICRO);
      centres.finish();
      for (const i of outside) {
        const [block] = around(centres, lon[i], lat[i], 1);
        const away = distance(lon[i], lat[i], index.lon[block] / MICRO, index.lat[block] / MICRO);
        if (away >= (nearest.get(i) ?? Number.POSITIVE_INFINITY)) continue;
        nearest.set(i, away);
        homes[i] = home;
      }
    }
    home++;
  }
}

/** Stores the home county of each `dest_id`. */
export function putDestIds(
  store: WritableStore,
  { destIds }: KnownDestinations,
  { destinationsOf }: HomeCounties,
): Promise<ObjectRef> {
  const homes: CountyFips[] = new Array(destIds.length);
  for (const [county, ordinals] of destinationsOf) for (const i of ordinals) homes[i] = county;
  const ids = Array.from(destIds, (id, i) => ({ id, county: homes[i] }));
  return putObject(store, 'dest-ids/all', 'tta', DestDirectory.encode(ids));
}
