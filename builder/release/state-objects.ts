import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import type { GeoidNumber } from '../../shards/geoid.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { ringsOf } from '../../shards/geometry/rings-of.ts';
import { BlockIndex } from '../../shards/index/block-index.ts';
import type { StateManifest } from '../../shards/manifest.ts';
import { encodePlaces, type PlaceWithBlocks } from '../../shards/places/place-table.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store, WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { CensusPlace } from '../census/census-places.ts';
import { simplify } from '../geo/simplify.ts';
import { putObject } from '../publish/put-object.ts';
import type { RegionCounty } from '../receipts/region-receipt.ts';

/** About eleven metres: less than a line on a map of a city is wide. */
const DISPLAY_TOLERANCE = 1e-4;

/** Stores the census places of each state that have blocks in the release, and which. */
export async function putStates(
  store: WritableStore,
  places: readonly CensusPlace[],
  counties: ReadonlyMap<CountyFips, RegionCounty>,
): Promise<Record<string, StateManifest>> {
  const withBlocks = await assignBlocks(store, places, counties);
  const states: Record<string, StateManifest> = {};
  for (const state of [...new Set(withBlocks.map(({ place }) => place.geoid.slice(0, 2)))]) {
    const own = withBlocks.filter(({ place }) => place.geoid.startsWith(state));
    const table = encodePlaces(
      own.map(({ place, ...rest }) => ({ ...place, ...rest, outline: ringsOf([place.area]) })),
    );
    states[state] = {
      places: own.length,
      objects: {
        places: await putObject(store, `places/${state}`, 'tta', table),
        'place-map': await putObject(store, `place-map/${state}`, 'fgb', placeMap(state, own)),
      },
    };
  }
  return states;
}

type Assigned = Pick<PlaceWithBlocks, 'blocks' | 'population'> & { readonly place: CensusPlace };

/** A block belongs to each place its internal point is in or on the border of. */
async function assignBlocks(
  store: Store,
  places: readonly CensusPlace[],
  counties: ReadonlyMap<CountyFips, RegionCounty>,
): Promise<Assigned[]> {
  const areas = new AreaIndex(ringsOf(places.map(({ area }) => area)));
  const members = places.map(() => ({ population: 0, blocks: [] as GeoidNumber[] }));
  for (const { searched } of counties.values()) {
    const { index: ref } = searched.objects;
    const index = BlockIndex.decode(ref.name, await readVerified(store, ref));
    for (let block = 0; block < index.count; block++) {
      for (const place of areas.at(index.lon[block], index.lat[block])) {
        members[place].population += index.population(block) ?? 0;
        members[place].blocks.push(index.geoids[block]);
      }
    }
  }
  return places
    .map((place, i) => ({ place, ...members[i] }))
    .filter(({ blocks }) => blocks.length > 0);
}

function placeMap(state: string, places: readonly Assigned[]): Uint8Array {
  return writeFlatGeobuf(
    `places_${state}`,
    [
      { name: 'geoid', type: 'string' },
      { name: 'name', type: 'string' },
      { name: 'population', type: 'integer' },
    ],
    places.map(({ place, population }) => ({
      geometry: simplify(place.area, DISPLAY_TOLERANCE),
      properties: { geoid: place.geoid, name: place.name, population },
    })),
  );
}
