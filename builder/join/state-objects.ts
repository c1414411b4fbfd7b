import { z } from 'zod';
import { addTo, groupBy } from '../../shards/arrays/group-by.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import type { GeoidNumber } from '../../shards/geoid.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { ringsOf } from '../../shards/geometry/rings.ts';
import { encodePlaces } from '../../shards/places/place-table.ts';
import { type StateManifest, stateSchema } from '../../shards/release/manifest.ts';
import { stateFipsOf } from '../../shards/states.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import type { CensusPlace } from '../census/census-places.ts';
import { simplify } from '../geo/simplify.ts';
import { putJson, putObject, readJson } from '../publish/put-object.ts';
import type { ReceiptOf, Receipts } from '../receipts/receipts.ts';
import type { RegionCounty } from '../receipts/region-receipt.ts';

/** Increment when the same places give other objects. */
const STATES_VERSION = 1;

/** A tolerance in degrees of about eleven metres, less than the width of a line on a city map. */
const DISPLAY_TOLERANCE = 1e-4;

/** A census place, and its blocks in some counties, ascending, with their people. */
interface PlaceBlocks {
  readonly place: CensusPlace;
  readonly population: number;
  readonly blocks: readonly GeoidNumber[];
}

/**
 * Assigns the blocks of some counties to every place that contains their internal points, or has
 * them on its border. Returns the places that have any, ascending by GEOID.
 */
export async function placesWithBlocks(
  store: Store,
  places: readonly CensusPlace[],
  counties: readonly RegionCounty[],
): Promise<PlaceBlocks[]> {
  const distinct = [...new Map(places.map((place) => [place.geoid, place])).values()].sort(byGeoid);
  const areas = new AreaIndex(ringsOf(distinct.map(({ area }) => area)));
  const members = distinct.map((place) => ({ place, population: 0, blocks: [] as GeoidNumber[] }));
  for (const { searched } of counties) {
    const index = await BlockIndex.read(store, searched.objects.index);
    for (let block = 0; block < index.count; block++) {
      for (const place of areas.at(index.lon[block], index.lat[block])) {
        members[place].population += index.population(block) ?? 0;
        members[place].blocks.push(index.geoids[block]);
      }
    }
  }
  return members.filter(({ blocks }) => blocks.length > 0);
}

type PlacesByState = Readonly<Record<string, ObjectRef>>;

/** Stores places with blocks by state, for `makeStates`. */
export async function putPlacesByState(
  store: WritableStore,
  places: readonly PlaceBlocks[],
): Promise<PlacesByState> {
  const refs: Record<string, ObjectRef> = {};
  for (const [state, own] of groupBy(places, ({ place }) => stateFipsOf(place.geoid))) {
    refs[state] = await putJson(store, `regions/places-${state}`, own);
  }
  return refs;
}

const statesSchema = z.record(z.string(), stateSchema);
export type States = z.infer<typeof statesSchema>;

export function statesReceipt(parts: readonly PlacesByState[]): ReceiptOf<typeof statesSchema> {
  return ['states', hashOfJson([STATES_VERSION, parts]), statesSchema];
}

/** Stores, state by state, the census places that have blocks in the release, with those blocks. */
export function makeStates(
  store: WritableStore,
  parts: readonly PlacesByState[],
  receipts: Receipts,
): Promise<States> {
  return receipts.findOrMake(...statesReceipt(parts), () => putStates(store, parts));
}

async function putStates(store: WritableStore, parts: readonly PlacesByState[]): Promise<States> {
  const refs = new Map<string, ObjectRef[]>();
  for (const part of parts)
    for (const [state, ref] of Object.entries(part)) addTo(refs, state, ref);
  const states: Record<string, StateManifest> = {};
  for (const [state, ofState] of [...refs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const own = await mergedPlaces(store, ofState);
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

/** Merges places that several parts have, ascending by GEOID. */
async function mergedPlaces(store: Store, refs: readonly ObjectRef[]): Promise<PlaceBlocks[]> {
  const merged = new Map<string, PlaceBlocks>();
  for (const ref of refs) {
    for (const one of await readJson<PlaceBlocks[]>(store, ref)) {
      const known = merged.get(one.place.geoid);
      merged.set(one.place.geoid, {
        place: one.place,
        population: (known?.population ?? 0) + one.population,
        blocks: [...(known?.blocks ?? []), ...one.blocks].sort((a, b) => a - b),
      });
    }
  }
  return [...merged.values()].sort((a, b) => byGeoid(a.place, b.place));
}

function byGeoid(a: CensusPlace, b: CensusPlace): number {
  return a.geoid < b.geoid ? -1 : 1;
}

function placeMap(state: string, places: readonly PlaceBlocks[]): Uint8Array {
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
