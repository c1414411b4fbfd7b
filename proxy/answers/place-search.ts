import { breathe } from '../../shards/breathe.ts';
import { EVERYBODY } from '../../shards/fair-queue.ts';
import { folded } from '../../shards/folded-text.ts';
import type { PlaceRecord } from '../../shards/places/place-table.ts';
import type { Release } from '../../shards/release.ts';
import { uspsOf } from '../../shards/states.ts';
import { NAMES_A_STEP, NameIndex } from './name-index.ts';

/** A place as look-ups give it. */
export interface PlaceItem {
  readonly name: string;
  readonly geoid: string;
  readonly state: string;
  readonly lon: number;
  readonly lat: number;
}

/** A name, and the letters of a state after it: `springfield, il`, `springfield il`. */
const WITH_STATE = /^(.*[^\s,])[\s,]+([a-z]{2})$/u;

/**
 * The census places whose name matches, best first, and of equal matches the most populous. After
 * those of which the whole text is part of the name come those of the state that it ends with.
 */
export async function findPlaces(
  release: Release,
  text: string,
  limit: number,
): Promise<PlaceItem[]> {
  const { everywhere, byState } = await release.derived('place names', () => indexPlaces(release));
  const asked = folded(text);
  const found = new Set(everywhere.find(asked, limit));
  const [, name, usps] = WITH_STATE.exec(asked) ?? [];
  for (const place of (name && byState.get(usps)?.find(name, limit)) || []) {
    if (found.size < limit) found.add(place);
  }
  return [...found].map(({ geoid, lon, lat, name }) => {
    return { name, geoid, state: uspsOf(geoid), lon, lat };
  });
}

/** The names of a release, of all states and of each by its folded letters. */
async function indexPlaces(release: Release) {
  const states = Object.keys(release.manifest.states).sort();
  const byState = new Map<string, PlaceNames>();
  const all: PlaceRecord[] = [];
  for (const fips of states) {
    const { places } = await release.places(release.manifest.states[fips]);
    byState.set(folded(uspsOf(fips)), await PlaceNames.of(places));
    for (const place of places) all.push(place);
  }
  return { everywhere: await PlaceNames.of(all), byState };
}

/** Places to be found by name, of equal matches the most populous first. */
class PlaceNames {
  readonly #places: readonly PlaceRecord[];
  readonly #names: NameIndex;

  private constructor(places: readonly PlaceRecord[], names: NameIndex) {
    this.#places = places;
    this.#names = names;
  }

  /** Of places in the order of their GEOIDs, which decide where people are as many. */
  static async of(inOrder: readonly PlaceRecord[]): Promise<PlaceNames> {
    const places = mostPopulousFirst(inOrder);
    const names: string[] = [];
    for (const [i, { name }] of places.entries()) {
      names.push(folded(name));
      const pause = (i + 1) % NAMES_A_STEP === 0 ? breathe(EVERYBODY) : undefined;
      if (pause) await pause;
    }
    return new PlaceNames(places, await NameIndex.of(names));
  }

  find(asked: string, limit: number): PlaceRecord[] {
    return this.#names.find(asked, limit).map((place) => this.#places[place]);
  }
}

/** More than the earth has in one place. */
const MOST_PEOPLE = 2 ** 30;

/** By one number each: a sort of numbers is done ten times as soon as one that calls back. */
function mostPopulousFirst(places: readonly PlaceRecord[]): PlaceRecord[] {
  const { length } = places;
  const key = ({ population }: PlaceRecord, i: number) => (MOST_PEOPLE - population) * length + i;
  return Array.from(Float64Array.from(places, key).sort(), (value) => places[value % length]);
}
