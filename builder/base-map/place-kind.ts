import { partOfCity, type Tags } from '../osm/tags.ts';
import { type MapKind, suggestedZoom } from './map-kind.ts';

/** Parts of cities by their value of `place` in OSM: kind, rank among places, and first zoom. */
const PARTS = {
  suburb: ['neighbourhood', 9, 12],
  quarter: ['macrohood', 10, 12],
  neighbourhood: ['neighbourhood', 11, 12],
} as const;

export function neighbourhoodKind(tags: Tags): MapKind | null {
  const part = partOfCity(tags);
  if (part === null) return null;
  const { place, name } = part;
  const [kind, rank, zoom] = PARTS[place];
  return placeKind(kind, place, zoom, rank, 0, name);
}

/** Size classes of census places: lower bound of the population, name, rank, and first zoom. */
const SIZES: readonly (readonly [from: number, detail: string, rank: number, zoom: number])[] = [
  [200_000, 'city', 2, 6],
  [100_000, 'city', 2, 7],
  [50_000, 'city', 2, 8],
  [10_000, 'town', 2, 9],
  [2_000, 'village', 3, 10],
  [1_000, 'village', 3, 11],
  [200, 'hamlet', 5, 11],
  [0, 'hamlet', 5, 12],
];

export function censusPlaceKind(name: string, population: number): MapKind {
  const [, detail, rank, zoom] = SIZES.find(([from]) => population >= from)!;
  return placeKind('locality', detail, zoom, rank, population, name);
}

/** Lower bound of the population for each population rank, starting at rank 1. */
const RANKS = [
  0, 200, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 5e6, 1e7, 2e7, 5e7, 1e8, 1e9,
];

function placeKind(
  kind: string,
  detail: string,
  zoom: number,
  rank: number,
  population: number,
  name: string,
): MapKind {
  return {
    layer: 'places',
    minZoom: zoom,
    properties: [
      ['kind', kind, 0],
      ['kind_detail', detail, 0],
      suggestedZoom(zoom),
      ['sort_key', sortKey(zoom, rank, population, name), 0],
      ['population', population, 0],
      ['population_rank', RANKS.filter((from) => population >= from).length, 0],
      ['name', name, 0],
    ],
  };
}

const MOST_PEOPLE = 40_000_000;
const PEOPLE_STEPS = 100;
const LONGEST_NAME = 31;
const MOST_RANK = 12;

function sortKey(zoom: number, rank: number, population: number, name: string): number {
  const share = Math.log(Math.max(1, population)) / Math.log(MOST_PEOPLE);
  const people = PEOPLE_STEPS - 1 - Math.min(PEOPLE_STEPS - 1, Math.floor(share * PEOPLE_STEPS));
  const length = Math.min(LONGEST_NAME, name.length);
  return ((zoom * (MOST_RANK + 1) + rank) * PEOPLE_STEPS + people) * (LONGEST_NAME + 1) + length;
}
