import type { Point } from './point.ts';

/** A point of one's own: an existing site, or a candidate that might be added. */
export interface Site extends Point {
  readonly id: string;
  readonly isCandidate: boolean;
}

/** Returns the sites with one more, whose id is the first free number above their count. */
export function withSite(
  sites: readonly Site[],
  { lat, lon }: Point,
  isCandidate: boolean,
): readonly Site[] {
  const taken = new Set(sites.map(({ id }) => id));
  let number = sites.length + 1;
  while (taken.has(String(number))) number++;
  return [...sites, { id: String(number), lat: rounded(lat), lon: rounded(lon), isCandidate }];
}

/** Returns the sites with one of them moved. */
export function withMoved(sites: readonly Site[], id: string, { lat, lon }: Point) {
  return sites.map((one) =>
    one.id === id ? { ...one, lat: rounded(lat), lon: rounded(lon) } : one,
  );
}

export function without(sites: readonly Site[], id: string): readonly Site[] {
  return sites.filter((one) => one.id !== id);
}

/** Rounds to six decimals: a tenth of a metre. */
function rounded(degrees: number): number {
  return +degrees.toFixed(6);
}
