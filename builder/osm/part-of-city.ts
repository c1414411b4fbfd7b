import { isShown } from '../../shards/shown-text.ts';
import type { Tags } from './tags.ts';

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
