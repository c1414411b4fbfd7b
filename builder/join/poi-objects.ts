import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { boxOf, edgesOf } from '../../shards/geometry/wgs84.ts';
import type { CountyManifest } from '../../shards/release/manifest.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import { type CountyFips, toStored } from '../../shards/units.ts';
import type { DestinationFacts } from '../destinations/destination.ts';
import { putObject } from '../publish/put-object.ts';
import type { HomeCounties } from './home-counties.ts';
import type { JoinedRegions } from './join-regions.ts';
import { readFacts } from './known-destinations.ts';

const TEXT_COLUMNS = ['name', 'street', 'city', 'state', 'zip', 'brand'] as const;

/**
 * Writes the destinations at home in a county as a FlatGeobuf layer of points, for use on any map.
 */
function poiMap(county: string, destinations: readonly DestinationFacts[]): Uint8Array {
  return writeFlatGeobuf(
    `pois_${county}`,
    [
      { name: 'dest_id', type: 'int64' },
      ...TEXT_COLUMNS.map((name) => ({ name, type: 'string' as const })),
      { name: 'type_ids', type: 'string' },
    ],
    destinations.map(({ destId, name, address, brand, types, lon, lat }) => ({
      geometry: { lon, lat },
      properties: { dest_id: destId, name, ...address, brand, type_ids: types.join(',') },
    })),
  );
}

/** A county's objects about the destinations at home there, apart from their catchments. */
interface PoisOfCounty {
  readonly box: CountyManifest['poi_box'];
  readonly map: ObjectRef;
}

/**
 * Stores maps of destinations, some counties at a time, so that those of all others are not in
 * memory.
 */
export class PoiObjects {
  readonly #store: WritableStore;
  readonly #joined: JoinedRegions;
  readonly #homes: HomeCounties;
  readonly #objects = new Map<CountyFips, PoisOfCounty>();

  constructor(store: WritableStore, joined: JoinedRegions, homes: HomeCounties) {
    this.#store = store;
    this.#joined = joined;
    this.#homes = homes;
  }

  /**
   * Stores the maps of some counties, and returns the destinations at home there, ascending by id.
   */
  async put(
    batch: readonly CountyFips[],
  ): Promise<ReadonlyMap<CountyFips, readonly DestinationFacts[]>> {
    const { regions, destinations } = this.#joined;
    const ordinals = batch.map(
      (county) => this.#homes.destinationsOf.get(county) ?? NO_DESTINATIONS,
    );
    const all = Uint32Array.from(ordinals.flatMap((own) => [...own])).sort();
    const facts = await readFacts(this.#store, regions, destinations, all);
    const byId = new Map(facts.map((destination) => [destination.destId, destination]));
    const atHome = new Map<CountyFips, readonly DestinationFacts[]>();
    for (const [i, county] of batch.entries()) {
      const own = Array.from(ordinals[i], (at) => byId.get(destinations.destIds[at])!);
      atHome.set(county, own);
      const map = await putObject(this.#store, `poi-map/${county}`, 'fgb', poiMap(county, own));
      this.#objects.set(county, { box: boxOfDestinations(own), map });
    }
    return atHome;
  }

  /** Returns the objects of a county whose map has been stored. */
  of(county: CountyFips): PoisOfCounty {
    return this.#objects.get(county)!;
  }
}

const NO_DESTINATIONS = new Uint32Array(0);

/**
 * Returns the west, south, east and north edges around some destinations at their stored
 * coordinates, so that a search at the exact location of the outermost one finds it. Null if there
 * are none.
 */
function boxOfDestinations(
  destinations: readonly DestinationFacts[],
): [number, number, number, number] | null {
  return destinations.length === 0
    ? null
    : edgesOf(boxOf(destinations.map(({ lon, lat }) => [toStored(lon), toStored(lat)])));
}
