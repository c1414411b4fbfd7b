import { isShown } from '../../shards/shown-text.ts';

/** The tags of one OSM element. Valid only during the handler call, unless copied. */
export interface Tags {
  get(key: string): string | undefined;
  has(key: string): boolean;
  readonly size: number;
  entries(): Iterable<[key: string, value: string]>;
}

/** Returns a lasting copy. A Map of strings implements `Tags`. */
export function copyTags(tags: Tags): Tags {
  return new Map(tags.entries());
}

/** The values of a tag, which may hold several, separated by semicolons. */
export function valuesOf(text: string): string[] {
  return text.includes(';') ? text.split(';').map((value) => value.trim()) : [text];
}

/** Whether a tag is present with a value other than `no`. */
export function isSet(tags: Tags, key: string): boolean {
  return tags.has(key) && tags.get(key) !== 'no';
}

const PARTS_OF_CITIES = ['suburb', 'quarter', 'neighbourhood'] as const;
type PartOfCity = (typeof PARTS_OF_CITIES)[number];

/** The name of a part of a city, and its value of `place`; null for anything else. */
export function partOfCity(
  tags: Tags,
): { readonly place: PartOfCity; readonly name: string } | null {
  const place = PARTS_OF_CITIES.find((part) => part === tags.get('place'));
  const name = tags.get('name')?.trim();
  return place !== undefined && name !== undefined && isShown(name) ? { place, name } : null;
}
