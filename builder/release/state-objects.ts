import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { ringsOf } from '../../shards/geometry/rings-of.ts';
import type { StateManifest } from '../../shards/manifest.ts';
import { encodePlaces, type PlaceWithBlocks } from '../../shards/places/place-table.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { MICRO } from '../../shards/units.ts';
import type { CensusBlock } from '../census/blocks.ts';
import type { CensusPlace } from '../census/places.ts';
import { simplify } from '../geo/simplify.ts';
import { putObject } from '../publish/put-object.ts';

/** About eleven metres: less than a line on a map of a city is wide. */
const DISPLAY_TOLERANCE = 1e-4;

/** Stores the census places of each state that have blocks in the release, and which. */
export async function putStates(
  store: WritableStore,
  places: readonly CensusPlace[],
  blocks: readonly CensusBlock[],
): Promise<Record<string, StateManifest>> {
  const withBlocks = assignBlocks(places, blocks);
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
function assignBlocks(places: readonly CensusPlace[], blocks: readonly CensusBlock[]): Assigned[] {
  const index = new AreaIndex(ringsOf(places.map(({ area }) => area)));
  const members: CensusBlock[][] = places.map(() => []);
  for (const block of blocks) {
    for (const place of index.at(block.lon * MICRO, block.lat * MICRO)) members[place].push(block);
  }
  return places.flatMap((place, i) => {
    if (members[i].length === 0) return [];
    const population = members[i].reduce((sum, block) => sum + (block.population ?? 0), 0);
    return [{ place, population, blocks: members[i].map(({ geoid }) => geoid) }];
  });
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
