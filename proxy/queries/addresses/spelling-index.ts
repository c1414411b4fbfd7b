import { LRUCache } from 'lru-cache';
import { bitCount, lowestBit } from '../../../shards/arrays/bits.ts';
import { getOrInsertComputed } from '../../../shards/arrays/group-by.ts';
import { Turns } from '../../../shards/concurrency/turns.ts';
import type { Bytes } from '../../../shards/units.ts';

interface SimilarName {
  readonly position: number;
  /** Letters in which the name differs from the text. */
  readonly edits: number;
}

/** Names of a group, one a bit; also the letters of a set, one a bit. */
const GROUP = 32;
/** Names indexed between two clock checks. */
const NAMES_PER_STEP = 512;
/** Memory of a key beside its letters: the header of a string, and a reference. */
const KEY_BYTES: Bytes = 24;
/** Memory of a name in a result. */
const FOUND_BYTES: Bytes = 40;
/** Names that a result counts for beside those in it, for its key and its entry in the map. */
const RESULT_NAMES = 4;

/**
 * Finds names, letters of which may be wrong. Names are compared without spaces, since people join
 * and part words.
 *
 * Names are in the order of their lengths, 32 to a group. A group has a word for each letter, the
 * bits of which are the names that have it, so that the names that lack too many letters of a text
 * are counted out 32 at a time (bit slicing). The few that are left are compared.
 */
export class SpellingIndex {
  readonly #keys: readonly string[];
  readonly #positions: Int32Array;
  /** The set of the letters of each name. */
  readonly #letters: Int32Array;
  /** By group and letter. */
  readonly #groups: Int32Array;
  /** By length, the first name that is at least so long. */
  readonly #starts: Int32Array;
  /** Results by key: the readings of a text share most names, and texts their cities. */
  readonly #results: LRUCache<string, readonly SimilarName[]>;

  private constructor(
    keys: readonly string[],
    positions: Int32Array,
    letters: Int32Array,
    groups: Int32Array,
    starts: Int32Array,
  ) {
    this.#keys = keys;
    this.#positions = positions;
    this.#letters = letters;
    this.#groups = groups;
    this.#starts = starts;
    this.#results = new LRUCache({
      maxSize: Math.max(1, keys.length >> 2),
      sizeCalculation: ({ length }) => length + RESULT_NAMES,
    });
  }

  /** Indexes folded names; yields to other work in between. */
  static async of(names: readonly string[]): Promise<SpellingIndex> {
    const byLength: number[][] = [];
    for (const [i, name] of names.entries()) {
      const { length } = keyOf(name);
      while (byLength.length <= length) byLength.push([]);
      byLength[length].push(i);
      if ((i + 1) % NAMES_PER_STEP === 0) await Turns.SHARED.yieldIfOverdue();
    }
    const starts = new Int32Array(byLength.length + 1);
    for (const [length, { length: count }] of byLength.entries()) {
      starts[length + 1] = starts[length] + count;
    }
    const positions = Int32Array.from(byLength.flat());
    const keys: string[] = [];
    const letters = new Int32Array(names.length);
    const groups = new Int32Array(GROUP * Math.ceil(names.length / GROUP));
    for (const [i, position] of positions.entries()) {
      keys.push(keyOf(names[position]));
      letters[i] = lettersOf(keys[i]);
      for (let left = letters[i]; left !== 0; left &= left - 1) {
        groups[i - (i % GROUP) + lowestBit(left)] |= 1 << (i % GROUP);
      }
      if ((i + 1) % NAMES_PER_STEP === 0) await Turns.SHARED.yieldIfOverdue();
    }
    return new SpellingIndex(keys, positions, letters, groups, starts);
  }

  get byteLength(): Bytes {
    const arrays = [this.#positions, this.#letters, this.#groups, this.#starts];
    const letters = this.#keys.reduce((sum, { length }) => sum + length, 0);
    const kept = KEY_BYTES * this.#keys.length + FOUND_BYTES * this.#results.maxSize;
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, letters + kept);
  }

  /** Returns the names that differ in few letters, the most similar first, then as listed. */
  find(name: string): readonly SimilarName[] {
    return getOrInsertComputed<string, readonly SimilarName[]>(this.#results, keyOf(name), (key) =>
      this.#search(key),
    );
  }

  #search(key: string): SimilarName[] {
    const most = mostEdits(key);
    const letters = lettersOf(key);
    const found: SimilarName[] = [];
    for (let longer = -most; longer <= most; longer++) {
      const first = this.#startOf(key.length + longer);
      const end = this.#startOf(key.length + longer + 1);
      // An edit that makes the text longer takes no letter out of it, and the other way round.
      const lost = most - Math.max(0, longer);
      const gained = most + Math.min(0, longer);
      for (let from = first - (first % GROUP); from < end; from += GROUP) {
        for (let left = this.#having(from, letters, lost); left !== 0; left &= left - 1) {
          const i = from + lowestBit(left);
          if (i < first || i >= end || bitCount(this.#letters[i] & ~letters) > gained) continue;
          const edits = editsBetween(this.#keys[i], 0, key, 0, most);
          // Another number is no misspelling.
          if (edits > most || (edits > 0 && isNumeral(this.#keys[i]))) continue;
          found.push({ position: this.#positions[i], edits });
        }
      }
    }
    return found.sort((a, b) => a.edits - b.edits || a.position - b.position);
  }

  #startOf(length: number): number {
    return this.#starts[Math.max(0, Math.min(length, this.#starts.length - 1))];
  }

  /** The names of a group that have all of some letters but `lost`, 0 to 2, as bits. */
  #having(group: number, letters: number, lost: number): number {
    // Names that lack at least one, two and three of the letters so far.
    let [one, two, three] = [0, 0, 0];
    for (let left = letters; left !== 0; left &= left - 1) {
      const lacking = ~this.#groups[group + lowestBit(left)];
      three |= two & lacking;
      two |= one & lacking;
      one |= lacking;
    }
    return ~(lost === 0 ? one : lost === 1 ? two : three);
  }
}

function keyOf(name: string): string {
  return name.replaceAll(' ', '');
}

/** Letters of a name that may be wrong: one of three or four, two of more; none of a number. */
function mostEdits(key: string): 0 | 1 | 2 {
  if (key.length < 3 || isNumeral(key)) return 0;
  return key.length < 5 ? 1 : 2;
}

function isNumeral(key: string): boolean {
  return /^\d/.test(key);
}

/** The set of the letters of a name, as bits; two letters may share one. */
function lettersOf(key: string): number {
  let letters = 0;
  for (let i = 0; i < key.length; i++) letters |= 1 << (key.charCodeAt(i) % GROUP);
  return letters;
}

/**
 * The optimal string alignment distance (`editDistance`) of the ends of two texts, or a number over
 * `most` if it is larger: equal letters are passed, then each edit of the next one is tried.
 */
function editsBetween(a: string, i: number, b: string, j: number, most: number): number {
  if (Math.abs(a.length - i - (b.length - j)) > most) return most + 1;
  while (i < a.length && j < b.length && a.charCodeAt(i) === b.charCodeAt(j)) {
    i++;
    j++;
  }
  if (i === a.length || j === b.length) return a.length - i + (b.length - j);
  if (most === 0) return 1;
  const left = most - 1;
  let edits = editsBetween(a, i + 1, b, j + 1, left);
  edits = Math.min(edits, editsBetween(a, i + 1, b, j, left), editsBetween(a, i, b, j + 1, left));
  if (a.charCodeAt(i) === b.charCodeAt(j + 1) && a.charCodeAt(i + 1) === b.charCodeAt(j)) {
    edits = Math.min(edits, editsBetween(a, i + 2, b, j + 2, left));
  }
  return 1 + edits;
}
