import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import type { GeoidNumber } from '../../shards/geoid.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { ringsOf } from '../../shards/geometry/rings.ts';
import { encodePlaces, type PlaceWithBlocks } from '../../shards/places/place-table.ts';
import type { StateManifest } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store, WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { CensusPlace } from '../census/census-places.ts';
import { simplify } from '../geo/simplify.ts';
import { putObject } from '../publish/put-object.ts';
import type { RegionCounty } from '../receipts/region-receipt.ts';
import { type JoinedRegions, readCensusPlacesOf } from './join-regions.ts';

/** A tolerance in degrees of about eleven metres, less than the width of a line on a city map. */
const DISPLAY_TOLERANCE = 1e-4;

/** Stores, state by state, the census places that have blocks in the release, with those blocks. */
export async function putStates(
  store: WritableStore,
  regionsByState: JoinedRegions['states'],
  counties: ReadonlyMap<CountyFips, RegionCounty>,
): Promise<Record<string, StateManifest>> {
  const centres = await centresOf(store, counties);
  const states: Record<string, StateManifest> = {};
  for (const [state, regions] of regionsByState) {
    const places = await readCensusPlacesOf(store, state, regions);
    const own = await assignBlocks(store, places, counties, centres);
    if (own.length === 0) continue;
    const stem = `places/${state}`;
    const table = encodePlaces(
      stem,
      own.map(({ place, ...rest }) => ({ ...place, ...rest, outline: ringsOf([place.area]) })),
    );
    states[state] = {
      places: own.length,
      objects: {
        places: await putObject(store, stem, 'tta', table),
        'place-map': await putObject(store, `place-map/${state}`, 'fgb', placeMap(state, own)),
      },
    };
  }
  return states;
}

type Assigned = Pick<PlaceWithBlocks, 'blocks' | 'population'> & { readonly place: CensusPlace };

/** Assigns each block to every place that contains its internal point, or has it on its border. */
async function assignBlocks(
  store: Store,
  places: readonly CensusPlace[],
  counties: ReadonlyMap<CountyFips, RegionCounty>,
  centres: readonly Centres[],
): Promise<Assigned[]> {
  const areas = new AreaIndex(ringsOf(places.map(({ area }) => area)));
  const members = places.map(() => ({ population: 0, blocks: [] as GeoidNumber[] }));
  for (const { county, box } of centres) {
    if (areas.inBox(...box).length === 0) continue;
    const index = await readIndex(store, counties.get(county)!);
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

/** A county, and the box around its blocks' centres: west, south, east, north in micro-degrees. */
interface Centres {
  readonly county: CountyFips;
  readonly box: [number, number, number, number];
}

async function centresOf(
  store: Store,
  counties: ReadonlyMap<CountyFips, RegionCounty>,
): Promise<Centres[]> {
  const centres: Centres[] = [];
  for (const [county, built] of counties) {
    const { lon, lat } = await readIndex(store, built);
    const [west, east] = rangeOf(lon);
    const [south, north] = rangeOf(lat);
    centres.push({ county, box: [west, south, east, north] });
  }
  return centres;
}

async function readIndex(store: Store, { searched }: RegionCounty): Promise<BlockIndex> {
  const { index } = searched.objects;
  return BlockIndex.decode(index.name, await readVerified(store, index));
}

function rangeOf(values: Int32Array): [least: number, most: number] {
  return [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
}

function placeMap(state: string, places: readonly Assigned[]): Uint8Array {
  return writeFlatGeobuf(
    `places_${state}`,
    [
      { name: 'geoid', type: 'string' },
      { name: 'name', type: 'string' },
      { name: 'population', type: 'int64' },
    ],
    places.map(({ place, population }) => ({
      geometry: simplify(place.area, DISPLAY_TOLERANCE),
      properties: { geoid: place.geoid, name: place.name, population },
    })),
  );
}
