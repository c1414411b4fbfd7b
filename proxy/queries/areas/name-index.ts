import { rankIn } from '../../../shards/arrays/sorted.ts';
import { Turns } from '../../../shards/concurrency/turns.ts';

/** Separator before each name and after the last; no name contains it. */
const END = '\n';
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/gu;
/** Names processed between two clock checks. */
export const NAMES_PER_STEP = 64;

/**
 * Finds names by substring. The names are concatenated into one text, the best first, so that a
 * search stops at the last result requested. A search for a rare substring takes at most one pass
 * of the engine's own string search over all names per kind of match.
 */
export class NameIndex {
  readonly #names: JoinedTexts;
  /** The names with a space before each word, and no other separators between words. */
  readonly #words: JoinedTexts;

  private constructor(names: readonly string[], words: readonly string[]) {
    this.#names = new JoinedTexts(names);
    this.#words = new JoinedTexts(words);
  }

  /** Indexes folded names given in order of rank; yields to other work in between. */
  static async of(names: readonly string[]): Promise<NameIndex> {
    const words: string[] = [];
    for (const [i, name] of names.entries()) {
      words.push(` ${name.replaceAll(BETWEEN_WORDS, ' ')}`);
      if ((i + 1) % NAMES_PER_STEP === 0) await Turns.SHARED.yieldIfOverdue();
    }
    return new NameIndex(names, words);
  }

  /**
   * Returns up to `limit` names by their position in the list, best match first: exact matches,
   * then names that start with the text, then names with a word that does, then names that contain
   * it anywhere.
   */
  find(asked: string, limit: number): number[] {
    if (asked.includes(END)) return [];
    const found = new Set<number>();
    this.#names.gather(`${END}${asked}${END}`, found, limit);
    this.#names.gather(`${END}${asked}`, found, limit);
    this.#words.gather(` ${asked}`, found, limit);
    this.#names.gather(asked, found, limit);
    return [...found];
  }
}

/** Concatenated texts, with a separator before and after each. */
class JoinedTexts {
  readonly #joined: string;
  /** Offset of the separator before each text, and of the one after the last. */
  readonly #starts: Uint32Array;

  constructor(texts: readonly string[]) {
    this.#starts = new Uint32Array(texts.length + 1);
    for (const [i, text] of texts.entries()) {
      this.#starts[i + 1] = this.#starts[i] + END.length + text.length;
    }
    this.#joined = [...texts.map((text) => `${END}${text}`), END].join('');
  }

  /** Adds texts that contain `part`, in order, until there are `limit`. */
  gather(part: string, found: Set<number>, limit: number): void {
    for (let from = 0; found.size < limit; ) {
      const at = this.#joined.indexOf(part, from);
      // No text follows the last separator.
      if (at === -1 || at === this.#joined.length - END.length) return;
      const text = rankIn(this.#starts, at + 1) - 1;
      found.add(text);
      from = this.#starts[text + 1];
    }
  }
}
