import { LRUCache } from 'lru-cache';
import type { DataOf } from '../../portal/client/src/index.ts';
import { editDistance, foldText } from '../../shards/folded-text.ts';
import { NeedsChoice, quoted } from './advice.ts';

export interface NamedType {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  /** Leaf types that this type stands for; a leaf type stands for itself. */
  readonly leafIds: readonly number[];
}

/** A type with the stems that texts are compared with. */
interface SpelledType extends NamedType {
  /** Stems of the words of its name and label. */
  readonly words: readonly string[];
  /** Full names of the type, each as its stems joined by spaces. */
  readonly names: readonly string[];
}

const MAX_OPTIONS = 8;
/** Maximum edit distance at which a text may be a misspelling of a name. */
const MAX_EDITS = 2;

/** Everyday and American names of types, by label. */
const ALSO_CALLED: Readonly<Record<string, readonly string[]>> = {
  arts_centres: ['arts centers'],
  bike_rental: ['bike share', 'bikeshare'],
  bookshops: ['bookstores'],
  cash_machines: ['atm', 'cash points'],
  cafes: ['coffee', 'coffee shops', 'coffeehouses'],
  childcare: ['daycare', 'day care', 'child care'],
  cinemas: ['movie theaters', 'movies'],
  clothes_shops: ['clothing stores', 'clothes stores'],
  community_centres: ['community centers'],
  doctors: ['physicians'],
  elementary_schools: ['primary schools', 'grade schools'],
  frequent_transit: ['frequent transit', 'frequent service'],
  grocery_stores: ['food stores', 'grocers'],
  gyms: ['fitness centers', 'fitness studios'],
  hairdressers: ['barbers', 'barbershops', 'hair salons'],
  hospitals: ['emergency rooms'],
  laundries: ['laundromats', 'dry cleaners'],
  pharmacies: ['drugstores', 'drug stores', 'chemists'],
  rail_stations: ['trains', 'train stations', 'metro', 'metro stations', 'subway', 'tram stops'],
  theatres: ['theaters'],
  veterinarians: ['vets'],
};

type Nodes = DataOf<'getDestinationTypes'>['destination_types'];

export class TypeCatalogue {
  readonly all: readonly SpelledType[];
  readonly #byId: ReadonlyMap<number, NamedType>;

  constructor(nodes: Nodes) {
    this.all = nodes.map(({ dest_type_id: id, name, label, leaf_ids, is_leaf }) => ({
      id,
      name,
      label,
      leafIds: is_leaf ? [id] : leaf_ids,
      words: [...stemsOf(name), ...stemsOf(label)],
      names: [name, label, ...(ALSO_CALLED[label] ?? [])].map((one) => stemsOf(one).join(' ')),
    }));
    this.#byId = new Map(this.all.map((one) => [one.id, one]));
  }

  /** Returns the catalogue of a response; responses with the same ETag share one. */
  static of(nodes: Nodes, etag: string | null): TypeCatalogue {
    const catalogue = KNOWN.get(etag ?? '') ?? new TypeCatalogue(nodes);
    if (etag !== null) KNOWN.set(etag, catalogue);
    return catalogue;
  }

  nameOf(id: number): string {
    return this.#byId.get(id)?.name ?? String(id);
  }

  /** Types whose name contains every word of a text, regardless of case and plural. */
  matching(text: string): SpelledType[] {
    const stems = stemsOf(text);
    const wanted = stems.join(' ');
    return this.all.filter(
      ({ words, names }) =>
        stems.every((stem) => words.some((word) => word.startsWith(stem))) ||
        names.includes(wanted),
    );
  }

  /**
   * Resolves types by id or name. Throws `NeedsChoice` for a name that fits several types equally
   * well, or none.
   */
  resolve(texts: readonly string[]): NamedType[] {
    return texts.map((text) => this.resolveOne(text));
  }

  /**
   * Resolves one type by id or name, or throws `NeedsChoice`. `weights`: names of weights that the
   * text could have meant instead, for the message.
   */
  resolveOne(text: string, weights: readonly string[] = []): NamedType {
    const byId = this.all.find(({ id }) => String(id) === text.trim());
    if (byId) return byId;
    const found = this.matching(text);
    const stems = stemsOf(text);
    const wanted = stems.join(' ');
    const whole = found.filter(({ names }) => names.includes(wanted));
    if (whole.length === 1) return whole[0];
    const byWord = found.filter(({ words }) => stems.every((stem) => words.includes(stem)));
    if (byWord.length === 1) return byWord[0];
    if (found.length === 1) return found[0];
    // If one type stands for all others that fit, the text means that type.
    const parent = found.find(({ leafIds }) =>
      found.every((one) => one.leafIds.every((id) => leafIds.includes(id))),
    );
    if (parent) return parent;
    const options = found.length > 0 ? found : this.#suggestions(wanted);
    const what = weights.length > 0 ? 'weight or type' : 'type';
    const problem = found.length > 0 ? 'fits several types' : `is no ${what} of this release`;
    throw new NeedsChoice(`${quoted(text)} ${problem}; list_types has all.`, [
      ...(found.length > 0 ? [] : weights.slice(0, MAX_OPTIONS)),
      ...options.slice(0, MAX_OPTIONS).map(({ id, name }) => `${id} ${name}`),
    ]);
  }

  /**
   * Suggests types for a text that names none: first those it may misspell, then all with subtypes.
   */
  #suggestions(wanted: string): NamedType[] {
    const most = Math.min(MAX_EDITS, Math.floor(wanted.length / 3));
    const close = this.all.filter(({ names }) =>
      names.some((name) => editDistance(name, wanted) <= most),
    );
    return [...new Set([...close, ...this.all.filter(({ leafIds }) => leafIds.length > 1)])];
  }
}

/** Catalogues by ETag, of the current release and of the one before it. */
const KNOWN = new LRUCache<string, TypeCatalogue>({ max: 2 });

/** Counts the rows that types have by one mode: one per distinct leaf type. */
export function rowCountOf(types: readonly NamedType[]): number {
  return new Set(types.flatMap(({ leafIds }) => leafIds)).size;
}

function stemsOf(text: string): readonly string[] {
  return foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(stemOf);
}

function stemOf(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return word.slice(0, -3);
  return word.length > 3 ? word.replace(/(es|s|y|e)$/, '') : word;
}
