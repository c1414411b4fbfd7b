import { foldText } from '../../shards/folded-text.ts';
import { NeedsChoice, type ToolCalls } from './tool.ts';

/** A node of the taxonomy. */
export interface NamedType {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  /** The leaf types that it stands for. */
  readonly leaves: number;
}

export interface NamedPlace {
  readonly geoid: string;
  readonly name: string;
  readonly state: string;
}

/** Options listed to the caller. */
const MAX_OPTIONS = 8;
/** American and everyday words for words of the taxonomy. */
const SYNONYMS: Readonly<Record<string, string>> = {
  coffee: 'cafe',
  drugstore: 'pharmacy',
  daycare: 'childcare',
  metro: 'rail',
  subway: 'rail',
  train: 'rail',
  tram: 'rail',
  shop: 'store',
  shops: 'store',
  vet: 'veterinarian',
};

/** All types of the release. Free. */
export async function listTypes(calls: ToolCalls): Promise<NamedType[]> {
  const { destination_types } = await calls.data(calls.client.getDestinationTypes());
  return destination_types.map(({ dest_type_id: id, name, label, leaf_ids }) => ({
    id,
    name,
    label,
    leaves: Math.max(1, leaf_ids.length),
  }));
}

/** Rows that some types have by one mode: one a leaf type. */
export function rowsOfTypes(types: readonly NamedType[]): number {
  return types.reduce((sum, { leaves }) => sum + leaves, 0);
}

/** Types whose name contains every word of a text, regardless of case and plural. */
export function typesNamed(types: readonly NamedType[], text: string): NamedType[] {
  const words = wordsOf(text);
  const found = typesWith(types, words);
  return found.length > 0
    ? found
    : typesWith(
        types,
        words.map((word) => SYNONYMS[word] ?? word),
      );
}

function typesWith(types: readonly NamedType[], words: readonly string[]): NamedType[] {
  const stems = words.map(stemOf);
  return types.filter(({ name, label }) => {
    const own = [...wordsOf(name), ...wordsOf(label)].map(stemOf);
    return stems.every((stem) => own.some((word) => word.startsWith(stem)));
  });
}

/**
 * Resolves types by id or name. Throws `NeedsChoice` for a name that fits several types equally well,
 * or none.
 */
export async function resolveTypes(
  calls: ToolCalls,
  names: readonly (string | number)[],
): Promise<NamedType[]> {
  const types = await listTypes(calls);
  return names.map((name) => resolveType(types, String(name)));
}

function resolveType(types: readonly NamedType[], text: string): NamedType {
  const byId = types.find(({ id }) => String(id) === text.trim());
  if (byId) return byId;
  const found = typesNamed(types, text);
  const wanted = wordsOf(text).map(stemOf).join(' ');
  const isWhole = (name: string) => wordsOf(name).map(stemOf).join(' ') === wanted;
  const whole = found.filter(({ name, label }) => isWhole(name) || isWhole(label));
  if (whole.length === 1) return whole[0];
  if (found.length === 1) return found[0];
  // A type that stands for all others that fit is what its name says.
  const parent = found.find(({ leaves }) => leaves >= found.length - 1 && leaves > 1);
  if (parent && found.every((one) => one === parent || one.leaves === 1)) return parent;
  const options = (found.length > 0 ? found : types.filter(({ leaves }) => leaves > 1))
    .slice(0, MAX_OPTIONS)
    .map(({ id, name }) => `${id} ${name}`);
  const problem = found.length > 0 ? 'fits several types' : 'is no type of this release';
  throw new NeedsChoice(`"${quoted(text)}" ${problem}; list_types has all.`, options);
}

/** Resolves a census place by its 7-digit GEOID or by name, such as "Baltimore, MD". Free. */
export async function resolvePlace(calls: ToolCalls, text: string): Promise<NamedPlace> {
  if (/^\d{7}$/.test(text.trim())) return { geoid: text.trim(), name: text.trim(), state: '' };
  const { places } = await calls.data(
    calls.client.findPlaces({ q: text.slice(0, 100), limit: 10 }),
  );
  if (places.length === 1) return places[0];
  const [wanted, state] = text.split(',').map((part) => foldText(part.trim()));
  const whole = places.filter(
    (place) =>
      foldText(place.name) === wanted && (state === undefined || foldText(place.state) === state),
  );
  if (whole.length === 1) return whole[0];
  const problem = places.length > 0 ? 'fits several places' : 'is no census place of this release';
  const options = (whole.length > 0 ? whole : places).slice(0, MAX_OPTIONS).map(placeOption);
  throw new NeedsChoice(`"${quoted(text)}" ${problem}.`, options);
}

export function placeOption({ geoid, name, state }: NamedPlace): string {
  return `${geoid} ${name}${state === '' ? '' : `, ${state}`}`;
}

function wordsOf(text: string): string[] {
  return foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** A word without its plural. */
function stemOf(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return word.slice(0, -3);
  return word.length > 3 ? word.replace(/(es|s|y|e)$/, '') : word;
}

function quoted(text: string): string {
  return text.slice(0, 60).replaceAll(/[\p{C}"]/gu, ' ');
}
