import { onDemand } from '../../../shards/concurrency/on-demand.ts';
import type { DataOf } from '../../client/src/index.ts';
import { keylessClient } from './clients.ts';

export type Place = DataOf<'findPlaces'>['places'][number];
export type Boundary = DataOf<'getPlaceBoundary'>;
export type Feed = DataOf<'getVintage'>['feeds'][number];
export type Facts = Awaited<ReturnType<typeof releaseFacts>>;
export type DestinationType = DataOf<'getDestinationTypes'>['destination_types'][number];

/** Sources, modes and destination types of the current release. */
export async function releaseFacts() {
  const [updated, vintage, modes, types] = await Promise.all([
    keylessClient.getLastUpdated(),
    keylessClient.getVintage(),
    keylessClient.getModes(),
    keylessClient.getDestinationTypes(),
  ]);
  return {
    ...updated.data,
    ...vintage.data,
    ...modes.data,
    types: types.data.destination_types,
  };
}

/**
 * Returns an initial example: the most populous place matching the first of these prefixes that has
 * any.
 */
export async function somePlace(): Promise<Place | undefined> {
  for (const q of 'aeiou') {
    const [place] = (await keylessClient.findPlaces({ q, limit: 1 })).data.places;
    if (place) return place;
  }
  return undefined;
}

/** Postal abbreviation of the state of the demo city, which no state has. */
const FICTIONAL_STATE = 'XA';

export const isFictional = onDemand(async () => (await somePlace())?.state === FICTIONAL_STATE);

/** Stands where the sources of real data are credited. */
export const FICTIONAL =
  'Fictional demo city: its streets, people, places and timetables are invented.';
