import { Turns } from '../../../shards/concurrency/turns.ts';
import { editDistance } from '../../../shards/folded-text.ts';

/** A name that is like a text. */
interface SimilarName {
  /** Position of the name in its list. */
  readonly position: number;
  /** Letters in which the name differs from the text. */
  readonly edits: number;
}

/** Names indexed between two clock checks. */
const NAMES_PER_STEP = 512;

/**
 * Finds names, letters of which may be wrong. Names are compared without spaces, since people join
 * and part words.
 */
export class SpellingIndex {
  readonly #keys: readonly string[];
  readonly #letters: Int32Array;

  private constructor(keys: readonly string[], letters: Int32Array) {
    this.#keys = keys;
    this.#letters = letters;
  }

  /** Indexes folded names; yields to other work in between. */
  static async of(names: readonly string[]): Promise<SpellingIndex> {
    const keys: string[] = [];
    const letters = new Int32Array(names.length);
    for (const [i, name] of names.entries()) {
      keys.push(name.replaceAll(' ', ''));
      letters[i] = lettersOf(keys[i]);
      if ((i + 1) % NAMES_PER_STEP === 0) await Turns.SHARED.yieldIfOverdue();
    }
    return new SpellingIndex(keys, letters);
  }

  /** Memory use, for a byte-bounded cache. */
  get byteLength(): number {
    return this.#keys.length * 60;
  }

  /** Returns the names that differ in few letters, the most similar first. */
  find(name: string): SimilarName[] {
    const key = name.replaceAll(' ', '');
    const most = mostEdits(key);
    const letters = lettersOf(key);
    const found: SimilarName[] = [];
    for (const [position, other] of this.#keys.entries()) {
      if (Math.abs(other.length - key.length) > most) continue;
      // Each edit adds at most one letter to the set of letters, and removes at most one.
      const own = this.#letters[position];
      if (bitsIn(own & ~letters) > most || bitsIn(letters & ~own) > most) continue;
      // Another number is no misspelling.
      if (other !== key && (isNumeral(other) || isNumeral(key))) continue;
      const edits = editDistance(other, key, most);
      if (edits <= most) found.push({ position, edits });
    }
    return found.sort((a, b) => a.edits - b.edits);
  }
}

/** Letters of a name that may be wrong: one of three or four, two of more. */
function mostEdits({ length }: string): number {
  if (length < 3) return 0;
  return length < 5 ? 1 : 2;
}

function isNumeral(key: string): boolean {
  return /^\d/.test(key);
}

/** The set of the letters of a name, as bits; two letters may share one. */
function lettersOf(key: string): number {
  let letters = 0;
  for (let i = 0; i < key.length; i++) letters |= 1 << (key.charCodeAt(i) % 32);
  return letters;
}

function bitsIn(set: number): number {
  let bits = 0;
  for (let left = set; left !== 0; left &= left - 1) bits++;
  return bits;
}
