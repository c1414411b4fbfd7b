import { ordinalsOf, rankIn } from '../../../shards/arrays/sorted.ts';
import { Turns } from '../../../shards/concurrency/turns.ts';
import { foldText } from '../../../shards/folded-text.ts';
import {
  BLOCKS_PER_COUNTY,
  countyOfBlock,
  type GeoidNumber,
  PLACE_GEOID,
} from '../../../shards/geoid.ts';
import type { PlaceEntry, PlaceRecord, PlaceTable } from '../../../shards/places/place-table.ts';
import type { StateManifest } from '../../../shards/release/manifest.ts';
import type { Release } from '../../../shards/release/release.ts';
import { stateFipsOf, uspsOf } from '../../../shards/states.ts';
import type { StatePlace } from '../../../shards/units.ts';
import { Problem, truncate } from '../../http/problem.ts';
import type { CountyBlocks } from './drawn-blocks.ts';
import { NAMES_PER_STEP, NameIndex } from './name-index.ts';

/** A census place of the release, and where its data is stored. */
export interface LocatedPlace {
  readonly place: PlaceEntry;
  readonly ordinal: StatePlace;
  readonly table: PlaceTable;
  readonly state: StateManifest;
}

export async function locatePlace(release: Release, geoid: string): Promise<LocatedPlace> {
  const located = await placeOf(release, geoid);
  if (located) return located;
  const asked = truncate(geoid);
  const advice = '; a place is a GEOID of 7 digits, which /v1/places?q= finds';
  throw new Problem(
    'place-not-found',
    `there is no census place ${asked} in this release${PLACE_GEOID.test(geoid) ? '' : advice}`,
    { geoid: asked },
  );
}

export async function placeOf(release: Release, geoid: string): Promise<LocatedPlace | undefined> {
  const state = release.state(stateFipsOf(geoid));
  const table = state && (await release.places(state));
  const ordinal = table?.ordinalOf(geoid) ?? -1;
  if (!state || !table || ordinal === -1) return undefined;
  return { place: table.places[ordinal], ordinal, table, state };
}

/** Blocks of a place that are looked up together: a page seldom needs more. */
const BLOCKS_PER_STEP = 256;

/**
 * Yields the blocks of a place whose GEOID is at least `from`, in batches of up to `most` blocks of
 * one county.
 */
export async function* blocksOfPlace(
  release: Release,
  { table, ordinal }: LocatedPlace,
  from: GeoidNumber,
  most = BLOCKS_PER_STEP,
): AsyncGenerator<CountyBlocks> {
  const blocks = await release.placeBlocks(table, ordinal);
  for (let first = rankIn(blocks, from), end: number; first < blocks.length; first = end) {
    const fips = countyOfBlock(blocks[first]);
    end = Math.min(first + most, rankIn(blocks, (Number(fips) + 1) * BLOCKS_PER_COUNTY));
    const county = release.county(fips)!;
    const index = await release.index(county);
    yield { county, index, ordinals: ordinalsOf(index.geoids, blocks.subarray(first, end)) };
  }
}

export interface PlaceItem {
  readonly name: string;
  readonly geoid: string;
  readonly state: string;
  readonly lon: number;
  readonly lat: number;
}

/** A name followed by a postal abbreviation: `springfield, il`, `springfield il`. */
const WITH_STATE = /^(.*[^\s,])[\s,]+([a-z]{2})$/u;

/**
 * Returns the census place with a GEOID, or the places whose name matches, best match first, then
 * the most populous. Places whose name contains the whole text come first, followed by those of the
 * state that the text ends with.
 */
export async function findPlaces(
  release: Release,
  text: string,
  limit: number,
): Promise<PlaceItem[]> {
  const asked = foldText(text);
  const named = PLACE_GEOID.test(asked) ? await placeOf(release, asked) : undefined;
  if (named) return [itemOf(named.place)];
  const { everywhere, byState } = await release.retained('place names', () => indexPlaces(release));
  const found = new Set(everywhere.find(asked, limit));
  const [, name, usps] = WITH_STATE.exec(asked) ?? [];
  for (const place of (name && byState.get(usps)?.find(name, limit)) || []) {
    if (found.size < limit) found.add(place);
  }
  return [...found].map(itemOf);
}

function itemOf({ geoid, lon, lat, name }: PlaceRecord): PlaceItem {
  return { name, geoid, state: uspsOf(geoid), lon, lat };
}

/** Indexes the names of a release, for all states and per state by its folded abbreviation. */
async function indexPlaces(release: Release) {
  const states = Object.keys(release.manifest.states).sort();
  const byState = new Map<string, PlaceNames>();
  const all: PlaceRecord[] = [];
  for (const fips of states) {
    const { places } = await release.places(release.manifest.states[fips]);
    byState.set(foldText(uspsOf(fips)), await PlaceNames.of(places));
    for (const place of places) all.push(place);
  }
  return { everywhere: await PlaceNames.of(all), byState };
}

/** Searchable place names; equal matches rank by population. */
class PlaceNames {
  readonly #places: readonly PlaceRecord[];
  readonly #names: NameIndex;

  private constructor(places: readonly PlaceRecord[], names: NameIndex) {
    this.#places = places;
    this.#names = names;
  }

  /** Indexes places given in GEOID order, the tie-breaker for equal populations. */
  static async of(inOrder: readonly PlaceRecord[]): Promise<PlaceNames> {
    const places = mostPopulousFirst(inOrder);
    const names: string[] = [];
    for (const [i, { name }] of places.entries()) {
      names.push(foldText(name));
      if ((i + 1) % NAMES_PER_STEP === 0) await Turns.SHARED.yieldIfOverdue();
    }
    return new PlaceNames(places, await NameIndex.of(names));
  }

  find(asked: string, limit: number): PlaceRecord[] {
    return this.#names.find(asked, limit).map((place) => this.#places[place]);
  }
}

/** More than any place's population. */
const MAX_PEOPLE = 2 ** 30;

/**
 * Sorts places by descending population. Each sort key is packed into one number, since sorting
 * numbers is ten times as fast as sorting with a comparator.
 */
function mostPopulousFirst(places: readonly PlaceRecord[]): PlaceRecord[] {
  const { length } = places;
  const key = ({ population }: PlaceRecord, i: number) => (MAX_PEOPLE - population) * length + i;
  return Array.from(Float64Array.from(places, key).sort(), (value) => places[value % length]);
}
