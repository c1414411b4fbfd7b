import { around, distance } from 'geokdbush';
import KDBush from 'kdbush';
import { groupBy } from '../../shards/arrays/group-by.ts';
import { ordinalsOf } from '../../shards/arrays/sorted.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { readOutlines } from '../../shards/fgb/outlines.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store } from '../../shards/store/store.ts';
import { type CountyFips, MICRO } from '../../shards/units.ts';
import type { DestinationFacts } from '../destinations/destination.ts';
import type { Counties, Neighbourhood } from './join-regions.ts';
import { type KnownDestinations, readFacts } from './known-destinations.ts';

/** A county as the home of destinations, which lists them and stores their catchments. */
export interface Home {
  /** The destinations at home there, ascending by id. */
  readonly facts: readonly DestinationFacts[];
  /** The counties whose rows may lead to any of them, ascending. */
  readonly reachedFrom: readonly CountyFips[];
}

/** Marks a destination without a home so far; other values are ordinals of counties. */
const NONE = 0xffff;

/**
 * Finds the destinations whose home is one of some counties: the county whose polygons contain the
 * destination, or, on a border, the one with the lowest GEOID. A destination outside all counties
 * of the release (at sea, abroad, in a county not built) is assigned to the county of the nearest
 * block among those that may lead to it. The result does not depend on which regions the counties
 * were built in, nor on which counties are asked for together.
 */
export async function findHomes(
  store: Store,
  own: readonly CountyFips[],
  { destinations: known, counties, regions }: Neighbourhood,
): Promise<Map<CountyFips, Home>> {
  const homes = new Uint16Array(known.destIds.length).fill(NONE);
  await findHolders(store, known, counties, homes);
  const reachedFrom = new Map<CountyFips, Uint32Array>();
  for (const [county, { searched }] of counties) {
    const { targets } = await Matrix.open(store, searched.objects.pois);
    reachedFrom.set(county, ordinalsOf(known.destIds, targets));
  }
  await findNearest(store, known, counties, reachedFrom, homes);
  const codes = [...counties.keys()];
  const numbers = own.map((county) => codes.indexOf(county));
  const ordinals = Uint32Array.from(homes.keys()).filter((one) => numbers.includes(homes[one]));
  const facts = await readFacts(store, regions, known, ordinals);
  const byHome = groupBy(ordinals.keys(), (i) => homes[ordinals[i]]);
  const homeOf = (home: number): Home => ({
    facts: (byHome.get(home) ?? []).map((i) => facts[i]),
    reachedFrom: codes.filter((from) => reachedFrom.get(from)!.some((one) => homes[one] === home)),
  });
  return new Map(own.map((county, i) => [county, homeOf(numbers[i])]));
}

/** Sets the homes of destinations within the blocks of any county. */
async function findHolders(
  store: Store,
  { destIds, lon, lat }: KnownDestinations,
  counties: Counties,
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

async function findNearest(
  store: Store,
  { lon, lat }: KnownDestinations,
  counties: Counties,
  reachedFrom: ReadonlyMap<CountyFips, Uint32Array>,
  homes: Uint16Array,
): Promise<void> {
  const nearest = new Map<number, number>();
  let home = 0;
  for (const [county, { searched }] of counties) {
    const outside = reachedFrom.get(county)!.filter((i) => homes[i] === NONE || nearest.has(i));
    if (outside.length > 0) {
      const index = await BlockIndex.read(store, searched.objects.index);
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
