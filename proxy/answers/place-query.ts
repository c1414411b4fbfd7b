import type { StateManifest } from '../../shards/manifest.ts';
import type { PlaceEntry, PlaceTable } from '../../shards/places/place-table.ts';
import type { Release } from '../../shards/release.ts';
import { Problem, shortened } from '../http/problem.ts';

/** A census place of the release, and where to read of it. */
export interface LocatedPlace {
  readonly place: PlaceEntry;
  readonly ordinal: number;
  readonly table: PlaceTable;
  readonly state: StateManifest;
}

/** Looks a place up in its state's table, which the release keeps in memory; else `place-not-found`. */
export async function locatePlace(release: Release, geoid: string): Promise<LocatedPlace> {
  const state = release.state(geoid.slice(0, 2));
  const table = state && (await release.places(state));
  const ordinal = table?.ordinalOf(geoid) ?? -1;
  if (state && table && ordinal !== -1) {
    return { place: table.places[ordinal], ordinal, table, state };
  }
  const asked = shortened(geoid);
  throw new Problem('place-not-found', `there is no census place ${asked} in this release`, {
    geoid: asked,
  });
}
