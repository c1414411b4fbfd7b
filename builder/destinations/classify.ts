import { addTo } from '../../shards/arrays/group-by.ts';
import type { DestTypeId, SquareMetres } from '../../shards/units.ts';
import { type Tags, valuesOf } from '../osm/tags.ts';
import { isException, isRestricted } from './exceptions.ts';
import { inWords, saysClosed } from './poi-name.ts';
import { isReligiousSchool, schoolKind, schoolLevels } from './school-kind.ts';
import { PARK_SIZES, TAXONOMY, type TagRule, type TaxonomyEntry } from './taxonomy.ts';
import { isVisited, worshipByName } from './worship-kind.ts';

interface Rule {
  readonly leaf: TaxonomyEntry;
  /** Conditions in addition to the key and value that the rule is indexed by. */
  readonly rest: readonly (readonly [key: string, values: ReadonlySet<string>])[];
}

/**
 * Rules by their first key and each of its values, so that an element is checked only against those
 * that may match.
 */
const RULES = fileRules();

const LEAF_ID = new Map(TAXONOMY.map((entry) => [entry.label, entry.dest_type_id]));
const OTHER_WORSHIP = TAXONOMY.find(({ source }) => source === 'other-worship')!;
const PRIVATE_SCHOOLS = 'private_schools';

/** Whether tags may name a destination: a quick check that allocates nothing. */
export function mayBeDestination(tags: Tags): boolean {
  if (tags.size === 0) return false;
  for (const key of RULES.keys()) {
    const value = tags.get(key);
    if (value !== undefined && valuesOf(value).some((v) => RULES.get(key)!.has(v))) return true;
  }
  return false;
}

/**
 * The leaf types of an element, ascending; none if it is not a destination, or not public. `area`
 * is that of the element's polygon, or null for a point, which counts as the smallest.
 */
export function classify(tags: Tags, area: SquareMetres | null): DestTypeId[] {
  if (!isOpenToPublic(tags)) return [];
  const found = new Set<DestTypeId>();
  const rules = matchingRules(tags);
  const add = (label: string) => found.add(LEAF_ID.get(label)!);
  if (rules.some(({ leaf }) => isOfSchools(leaf))) {
    const isPrivate = rules.some(({ leaf }) => leaf.label === PRIVATE_SCHOOLS);
    for (const label of schoolLabels(tags, isPrivate)) add(label);
  }
  const worships = rules.filter(({ leaf }) => leaf.parent_id === OTHER_WORSHIP.parent_id);
  for (const { leaf } of rules) {
    if (isOfSchools(leaf) || isException(leaf.label, tags)) continue;
    if (leaf.parent_id === OTHER_WORSHIP.parent_id) {
      if (!isVisited(tags)) continue;
      if (leaf !== OTHER_WORSHIP) found.add(leaf.dest_type_id);
      else if (worships.length === 1) add(tags.has('religion') ? leaf.label : worshipByName(tags));
    } else if (leaf.source === 'park-size') {
      const label = parkLabel(tags.get('name') ?? '', area);
      if (label !== null) add(label);
    } else {
      found.add(leaf.dest_type_id);
    }
  }
  return [...found].sort((a, b) => a - b);
}

function isOfSchools({ source, label }: TaxonomyEntry): boolean {
  return source === 'school-level' || label === PRIVATE_SCHOOLS;
}

/** The leaf labels of an element tagged as a school. The levels are those of public schools. */
function schoolLabels(tags: Tags, isPrivate: boolean): readonly string[] {
  const kind = schoolKind(tags);
  if (kind === null) return [];
  if (kind !== 'school') return [kind];
  return isPrivate || isReligiousSchool(tags) ? [PRIVATE_SCHOOLS] : schoolLevels(tags);
}

/** The tag value that makes an element a destination, as text to use in place of a missing name. */
export function describe(tags: Tags): string {
  for (const [key, byValue] of RULES) {
    const value = valuesOf(tags.get(key) ?? '').find((v) => byValue.has(v));
    if (value) return inWords(value);
  }
  return '';
}

/** The rules that tags meet, each once, even if a value is listed twice. */
function matchingRules(tags: Tags): Rule[] {
  const matching = new Set<Rule>();
  for (const [key, byValue] of RULES) {
    const value = tags.get(key);
    if (value === undefined) continue;
    for (const single of valuesOf(value)) {
      for (const rule of byValue.get(single) ?? []) {
        if (
          rule.rest.every(([k, wanted]) => valuesOf(tags.get(k) ?? '').some((v) => wanted.has(v)))
        ) {
          matching.add(rule);
        }
      }
    }
  }
  return [...matching];
}

/** Keys of POIs whose `access` restricts entry. The `access` of a shop restricts its parking. */
const OPEN_AIR = ['leisure', 'natural', 'boundary', 'landuse'];

function isOpenToPublic(tags: Tags): boolean {
  if (tags.get('disused') === 'yes' || tags.get('abandoned') === 'yes') return false;
  if (saysClosed(tags.get('name') ?? '')) return false;
  return !OPEN_AIR.some((key) => tags.has(key)) || !isRestricted(tags);
}

function fileRules(): ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>> {
  const filed = new Map<string, Map<string, Rule[]>>();
  const all = (wanted: TagRule[string]) => (typeof wanted === 'string' ? [wanted] : wanted);
  for (const leaf of TAXONOMY) {
    for (const rule of leaf.osm ?? []) {
      const [[key, wanted], ...rest] = Object.entries(rule);
      const byValue = filed.get(key) ?? new Map<string, Rule[]>();
      filed.set(key, byValue);
      for (const value of all(wanted)) {
        addTo(byValue, value, { leaf, rest: rest.map(([k, w]) => [k, new Set(all(w))] as const) });
      }
    }
  }
  return filed;
}

const SQUARE_METRES_PER_HECTARE = 10_000;

/**
 * Names in GNIS's class "Park" that are not parks; an import into OSM tagged the whole class as
 * parks.
 */
const DISTRICT = / historic district$/i;
const CENTRE = / (?:recreation|community) cent(?:er|re)$/i;

/**
 * Returns the leaf label of an element tagged as a park, by its name, then by its area, which is
 * null for a point; null if it is not a destination. The outline of a recreation centre is that of
 * its grounds, which are a park.
 */
function parkLabel(name: string, area: SquareMetres | null): string | null {
  if (DISTRICT.test(name)) return null;
  if (area === null && CENTRE.test(name)) return 'community_centres';
  const hectares = (area ?? 0) / SQUARE_METRES_PER_HECTARE;
  return PARK_SIZES.findLast((size) => hectares >= size.fromHectares)!.label;
}
