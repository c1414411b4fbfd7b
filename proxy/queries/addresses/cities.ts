import { wordsOf } from '../../../shards/addresses/street-name.ts';
import type { PlaceEntry } from '../../../shards/places/place-table.ts';
import type { Release } from '../../../shards/release/release.ts';
import { SpellingIndex } from './spelling-index.ts';

/** The census places of a release as the cities of addresses. */
export class Cities {
  readonly #places: readonly PlaceEntry[];
  readonly #names: SpellingIndex;
  readonly #known: ReadonlySet<string>;

  private constructor(
    places: readonly PlaceEntry[],
    names: readonly string[],
    index: SpellingIndex,
  ) {
    this.#places = places;
    this.#names = index;
    this.#known = new Set(names);
  }

  static of(release: Release): Promise<Cities> {
    return release.retained('cities', async () => {
      const states = Object.values(release.manifest.states);
      const tables = await Promise.all(states.map((state) => release.places(state)));
      const places = tables.flatMap((table) => table.places);
      const names = places.map(({ name }) => wordsOf(name).join(' '));
      return new Cities(places, names, await SpellingIndex.of(names));
    });
  }

  /** Whether the release was built without places, so that no city is known. */
  get areUnknown(): boolean {
    return this.#places.length === 0;
  }

  /** Whether there is a city of this name, a letter or two of which may be wrong. */
  isCity(words: string): boolean {
    return this.#known.has(words) || this.#names.find(words).length > 0;
  }

  /** The cities of a name; if there is none, those whose names are most like it. */
  named(words: string): PlaceEntry[] {
    const found = words === '' ? [] : this.#names.find(words);
    return found
      .filter(({ edits }) => edits === found[0].edits)
      .map(({ position }) => this.#places[position]);
  }
}
