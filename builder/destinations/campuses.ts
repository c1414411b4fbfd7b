import { squareMetresOf } from '../../shards/geometry/planar.ts';
import type { DestTypeId } from '../../shards/units.ts';
import type { Destination } from './destination.ts';
import { PoiAreas } from './poi-areas.ts';
import { isDistinctive, nameWords } from './poi-name.ts';
import { TAXONOMY } from './taxonomy.ts';

/**
 * Kinds of institutions with grounds, as lists of leaf labels. All schools are of one kind, since
 * neither the level of an unnamed school nor whether it is private is known.
 */
const KINDS = [
  ['hospitals'],
  ['colleges'],
  ['universities'],
  [
    'elementary_schools',
    'middle_schools',
    'high_schools',
    'schools_level_unknown',
    'private_schools',
  ],
];
const LEAF_ID = new Map(TAXONOMY.map((entry) => [entry.label, entry.dest_type_id]));
const KIND_OF: ReadonlyMap<DestTypeId, number> = new Map(
  KINDS.flatMap((labels, kind) => labels.map((label) => [LEAF_ID.get(label)!, kind] as const)),
);

/**
 * Returns the POIs with each campus once, although its grounds, buildings and points are tagged
 * alike and not all of them have its name. Unnamed POIs in a larger outline of their kind are parts
 * of the campus. An unnamed outline around one named POI of its kind takes over its name, types and
 * facts; an outline around several is dropped.
 */
export function wholeCampuses(pois: readonly Destination[]): Destination[] {
  const campuses = pois.filter(({ types }) => types.some((type) => KIND_OF.has(type)));
  const inside = new PoiAreas(campuses);
  const sizes = campuses.map(({ outline }) => (outline ? squareMetresOf(outline) : 0));
  const isLarger = (a: number, b: number) =>
    sizes[a] > sizes[b] || (sizes[a] === sizes[b] && a < b);
  const around = campuses.map((poi, i) =>
    inside.at(poi.lon, poi.lat).filter((o) => isLarger(o, i) && isOfOneKind(campuses[o], poi)),
  );
  const isPart = campuses.map((poi, i) => isUnnamed(poi) && around[i].length > 0);
  const named = campuses.map((): number[] => []);
  campuses.forEach((poi, i) => {
    if (isUnnamed(poi)) return;
    const unnamed = around[i].find((o) => isUnnamed(campuses[o]) && !isPart[o]);
    if (unnamed !== undefined) named[unnamed].push(i);
  });
  const replaced = new Map<Destination, Destination | null>();
  campuses.forEach((poi, i) => {
    if (isPart[i] || named[i].length > 1) replaced.set(poi, null);
    if (isPart[i] || named[i].length !== 1) return;
    const { name, types, brand, address } = campuses[named[i][0]];
    replaced.set(poi, { ...poi, name, types, brand, address });
    replaced.set(campuses[named[i][0]], null);
  });
  return pois.flatMap((poi) => replaced.get(poi) ?? (replaced.has(poi) ? [] : [poi]));
}

function isOfOneKind(a: Destination, b: Destination): boolean {
  const kinds = new Set(a.types.map((type) => KIND_OF.get(type)).filter((k) => k !== undefined));
  return b.types.some((type) => kinds.has(KIND_OF.get(type)!));
}

/**
 * Whether a POI is nothing but an institution, and named only by the word for its kind: "School".
 */
function isUnnamed({ name, types }: Destination): boolean {
  const words = nameWords(name);
  return words.size === 1 && !isDistinctive(words) && types.every((type) => KIND_OF.has(type));
}
