import type { PlaceRecord } from '../../shards/places/place-table.ts';
import type { Release } from '../../shards/release.ts';
import { uspsOf } from '../../shards/states.ts';
import { folded } from './folded-text.ts';

/** A place as look-ups give it. */
export interface PlaceItem {
  readonly name: string;
  readonly geoid: string;
  readonly state: string;
  readonly lon: number;
  readonly lat: number;
}

interface Searchable {
  readonly folded: string;
  readonly place: PlaceRecord;
}

/** How well a name matches, best first; beyond the last it does not. */
const MATCHES: readonly ((name: string, asked: string) => boolean)[] = [
  (name, asked) => name === asked,
  (name, asked) => name.startsWith(asked),
  (name, asked) => ` ${name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')}`.includes(` ${asked}`),
  (name, asked) => name.includes(asked),
];

/** The census places whose name matches, best first, and of equal matches the most populous. */
export async function findPlaces(
  release: Release,
  name: string,
  limit: number,
): Promise<PlaceItem[]> {
  const asked = folded(name);
  const places = await release.derived('place names', () => searchable(release));
  const found = places.flatMap((entry) => {
    const match = MATCHES.findIndex((matches) => matches(entry.folded, asked));
    return match === -1 ? [] : [{ match, place: entry.place }];
  });
  found.sort(
    (a, b) =>
      a.match - b.match ||
      b.place.population - a.place.population ||
      (a.place.geoid < b.place.geoid ? -1 : 1),
  );
  return found.slice(0, limit).map(({ place: { geoid, lon, lat, name } }) => ({
    name,
    geoid,
    state: uspsOf(geoid),
    lon,
    lat,
  }));
}

async function searchable(release: Release): Promise<Searchable[]> {
  const tables = await Promise.all(
    Object.values(release.manifest.states).map((state) => release.places(state)),
  );
  return tables.flatMap(({ places }) =>
    places.map((place) => ({ folded: folded(place.name), place })),
  );
}
