import { addTo } from '../../shards/arrays/group-by.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, DestTypeId } from '../../shards/units.ts';
import { decimalOf } from '../inputs/decimal.ts';
import type { FeatureRecord } from '../inputs/geojson.ts';
import { classify } from './classify.ts';
import { hashedDestId } from './dest-id.ts';
import type { Address, Destination } from './destination.ts';
import { OVERTURE_CATEGORIES, WITHOUT_LEAF } from './overture-categories.ts';
import { locationOf } from './poi-location.ts';
import { inWords, saysClosed } from './poi-name.ts';
import { TAXONOMY, UNKNOWN_LEVEL } from './taxonomy.ts';

/**
 * The result of reading a record of Overture's places: a destination, or the reason why it is not
 * one.
 */
export type OverturePoi =
  | RatedPoi
  | { readonly dropped: 'elsewhere' | 'unusable' | 'closed' | 'doubtful' | 'uncategorised' }
  | { readonly dropped: 'untyped'; readonly category: string };

export interface RatedPoi {
  readonly destination: Destination;
  /** Probability that the POI exists, 0 to 1; 1 where not given. */
  readonly confidence: number;
}

/** Minimum confidence of a POI; below this, it more likely does not exist. */
const MIN_CONFIDENCE = 0.5;
const MIN_CONFIDENCE_OF_ALTERNATES = 0.8;

type Members = Readonly<Record<string, unknown>>;

/** Members of Overture's schema of which each place has one or more. */
const OVERTURE_MEMBERS = ['names', 'categories', 'taxonomy', 'basic_category'];

/**
 * Whether a feature is in the schema of Overture's places, which leaves out members without a
 * value. Its `type` is that of the schema, `place`, while POIs of the user's own lists have leaves.
 */
export function isOverturePoi({ properties }: FeatureRecord): boolean {
  const type = text(properties.type) ?? properties.types ?? null;
  if (type !== null) return type === 'place';
  return OVERTURE_MEMBERS.some((key) => key in properties || `${key}.primary` in properties);
}

/** The confidence of a POI; 1 if none is stated, `NaN` if it is not a number. */
function confidenceOf({ confidence }: Members): number {
  if (confidence === undefined || confidence === null) return 1;
  return decimalOf(text(confidence) ?? '');
}

/**
 * Reads a POI within `area` in Overture's schema, from GeoParquet or an export to GeoJSON, where
 * nested members may have become JSON text, or members such as `names.primary`.
 */
export function overturePoi(
  { id, properties, geometry }: FeatureRecord,
  area: BoundingBox,
): OverturePoi {
  const location = locationOf(geometry);
  if (location && !boxContains(area, location.lon, location.lat)) return { dropped: 'elsewhere' };
  const ownId = text(properties.id) ?? text(id);
  if (!location || !ownId) return { dropped: 'unusable' };
  if ((text(properties.operating_status) ?? 'open') !== 'open') return { dropped: 'closed' };
  const confidence = confidenceOf(properties);
  if (!(confidence >= MIN_CONFIDENCE)) return { dropped: 'doubtful' };
  const categories = categoriesOf(properties);
  const isSure = confidence >= MIN_CONFIDENCE_OF_ALTERNATES;
  const brand = text(path(properties, 'brand', 'names', 'primary'));
  const name =
    text(path(properties, 'names', 'primary')) ??
    brand ??
    inWords(categories.shown ?? categories.others[0] ?? '');
  if (saysClosed(name)) return { dropped: 'closed' };
  const types = withLevelFromName(
    typesOf(isSure ? categories : { ...categories, others: [] }),
    name,
  );
  if (types.length === 0) {
    const category = categories.shown;
    return category === null ? { dropped: 'uncategorised' } : { dropped: 'untyped', category };
  }
  return {
    confidence,
    destination: {
      destId: hashedDestId('overture', ownId),
      source: `Overture place ${ownId}`,
      name,
      address: addressOf(path(properties, 'addresses', 0)),
      brand,
      types,
      ...location,
      entrances: [location],
    },
  };
}

interface Categories {
  /**
   * The names of the category in the vocabularies that the record has, in order of precedence: the
   * old name, which may be more specific; the new one, and its parents upwards; the coarse one.
   */
  readonly own: readonly string[];
  readonly others: readonly string[];
  /** The current name of the category, or the only one. */
  readonly shown: string | null;
}

function categoriesOf(properties: Members): Categories {
  const old = text(path(properties, 'categories', 'primary'));
  const upwards = list(path(properties, 'taxonomy', 'hierarchy'))
    .map(text)
    .reverse();
  const current = text(path(properties, 'taxonomy', 'primary')) ?? upwards[0] ?? null;
  const basic = text(properties.basic_category);
  const others = [
    ...list(path(properties, 'taxonomy', 'alternates')),
    ...list(path(properties, 'categories', 'alternate')),
  ];
  return {
    own: [old, current, ...upwards, basic].filter((name) => name !== null),
    others: others.map(text).filter((name) => name !== null),
    shown: current ?? old ?? basic,
  };
}

const LEAVES = leavesByCategory();

/**
 * The leaves of a POI: those of the first of its names that is known. Alternate categories count
 * for less: only within the group of the main category, or, if that maps to no leaf, within the
 * group of the first alternate that does.
 */
function typesOf({ own: names, others }: Categories): DestTypeId[] {
  const own = firstKnown(names);
  const besides = others.map((name) => leavesOf(name) ?? []);
  const groups = new Set(own.map(groupOf));
  const counted =
    own.length === 0
      ? (besides.find((leaves) => leaves.length > 0) ?? [])
      : besides.flat().filter((leaf) => groups.has(groupOf(leaf)));
  return [...new Set([...own, ...counted])].sort((a, b) => a - b);
}

function firstKnown(names: readonly string[]): readonly DestTypeId[] {
  for (const name of names) {
    const leaves = leavesOf(name);
    if (leaves !== null) return leaves;
  }
  return [];
}

/** The leaves of a POI, with an unknown school level resolved from its name where possible. */
function withLevelFromName(types: readonly DestTypeId[], name: string): DestTypeId[] {
  const others = types.filter((type) => type !== UNKNOWN_LEVEL);
  if (others.length === types.length) return others;
  const school = new Map([
    ['amenity', 'school'],
    ['name', name],
  ]);
  return [...new Set([...others, ...classify(school, null)])].sort((a, b) => a - b);
}

const ENTRIES = new Map(TAXONOMY.map((entry) => [entry.dest_type_id, entry]));
const FOOD_SHOPS = TAXONOMY.find(({ label }) => label === 'food_shops')!.dest_type_id;
const EATING = TAXONOMY.find(({ label }) => label === 'eating_and_drinking')!.dest_type_id;

/**
 * Returns the top-level type above a leaf. Food shops and places to eat are one group, since many
 * POIs are both.
 */
function groupOf(leaf: DestTypeId): DestTypeId {
  const { parent_id } = ENTRIES.get(leaf)!;
  if (parent_id !== null) return groupOf(parent_id);
  return leaf === EATING ? FOOD_SHOPS : leaf;
}

/**
 * The leaves of a category: by its name, else by the longest suffix that has any. None if it is
 * left out, and null if it is unknown.
 */
function leavesOf(category: string): readonly DestTypeId[] | null {
  const exact = LEAVES.get(category);
  if (exact) return exact;
  for (let at = category.indexOf('_'); at !== -1; at = category.indexOf('_', at + 1)) {
    const ending = LEAVES.get(`*${category.slice(at)}`);
    if (ending) return ending;
  }
  return null;
}

function leavesByCategory(): ReadonlyMap<string, readonly DestTypeId[]> {
  const leaves = new Map<string, DestTypeId[]>(WITHOUT_LEAF.map((category) => [category, []]));
  for (const { dest_type_id, label } of TAXONOMY) {
    for (const category of OVERTURE_CATEGORIES[label] ?? []) {
      addTo(leaves, category, dest_type_id);
    }
  }
  return leaves;
}

function addressOf(address: unknown): Address {
  const { freeform, locality, region, postcode } = (address ?? {}) as Members;
  const state = text(region)?.replace(/^US-/, '') ?? null;
  return {
    street: text(freeform),
    city: text(locality),
    state: state && /^[A-Z]{2}$/.test(state) ? state : null,
    zip: text(postcode),
  };
}

/**
 * The value at a path of nested members. Exports turn `{names: {primary}}` into a member `names` of
 * JSON text, or a member `names.primary`.
 */
function path(members: Members, ...keys: readonly (string | number)[]): unknown {
  const flat = members[keys.join('.')];
  if (flat !== undefined) return flat;
  let at: unknown = members;
  for (const key of keys) at = (nested(at) as Members | null | undefined)?.[key];
  return at;
}

function list(value: unknown): readonly unknown[] {
  const found = nested(value);
  return Array.isArray(found) ? found : [];
}

/** A nested value, parsed if it was written as text. */
function nested(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

function text(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const trimmed = typeof value === 'string' ? value.trim() : '';
  return trimmed === '' ? null : trimmed;
}
