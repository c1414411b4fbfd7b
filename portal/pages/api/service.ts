import type {
  Boundary,
  Component,
  DataCoverage,
  DestinationType,
  Place,
  Summary,
  TileArchives,
} from './api-answers.ts';
import { ask, responseOf } from './ask.ts';

/** API requests of the pages. Free routes need no key. */

export async function placesNamed(
  api: string,
  name: string,
  signal?: AbortSignal,
): Promise<Place[]> {
  const query = new URLSearchParams({ q: name, limit: '5' });
  return (await ask<{ places: Place[] }>(`${api}/v1/places?${query}`, { signal })).places;
}

export function boundaryOf(api: string, geoid: string, signal?: AbortSignal): Promise<Boundary> {
  return ask<Boundary>(`${api}/v1/places/${encodeURIComponent(geoid)}/boundary`, { signal });
}

/**
 * The most populous place matching the first of these prefixes that has any: an initial example.
 */
export async function somePlace(api: string, signal?: AbortSignal): Promise<Place | undefined> {
  for (const letter of 'aeiou') {
    const [place] = await placesNamed(api, letter, signal);
    if (place) return place;
  }
  return undefined;
}

/** Sources of the current release. */
export async function releaseFacts(api: string) {
  const [updated, vintage, modes, types] = await Promise.all([
    ask<{ last_updated: string; release: string }>(`${api}/v1/last-updated`),
    ask<{ components: Component[]; coverage: DataCoverage }>(`${api}/v1/meta/vintage`),
    ask<{ modes: { mode: string; description: string }[] }>(`${api}/v1/meta/modes`),
    destinationTypes(api),
  ]);
  return { ...updated, ...vintage, ...modes, types };
}

export async function destinationTypes(api: string): Promise<DestinationType[]> {
  const url = `${api}/v1/meta/destination-types`;
  return (await ask<{ destination_types: DestinationType[] }>(url)).destination_types;
}

/** The archives that maps of the release are drawn from. */
export function tileArchives(api: string): Promise<TileArchives> {
  return ask<TileArchives>(`${api}/v1/meta/tiles`);
}

/** A metered request: the response and its price. */
export async function summaryWithKey(url: string, key: string) {
  const response = await responseOf(url, { headers: { authorization: `Bearer ${key}` } });
  const summary: Summary = await response.json();
  const header = (name: string) => Number(response.headers.get(name) ?? Number.NaN);
  return {
    summary,
    status: response.status,
    charged: header('x-tokens-charged'),
    remaining: header('x-tokens-remaining'),
  };
}
