import { rankIn } from '../../shards/arrays/sorted.ts';
import { SHARED } from '../../shards/concurrency/fair-queue.ts';
import { yieldIfOverdue } from '../../shards/concurrency/yielding.ts';

/** Stands before each name, and after the last. No name has one. */
const END = '\n';
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/gu;
/** Names worked on between two looks at the clock. */
export const NAMES_A_STEP = 64;

/**
 * Finds names by what is in them. They lie one after another in one text, the best first, so that a
 * search ends with the last one wanted, and one for what is rare is a pass of the engine's own
 * string search over all names, at most one for each way to match.
 */
export class NameIndex {
  readonly #names: JoinedTexts;
  /** The names with a space before each word, and nothing else between words. */
  readonly #words: JoinedTexts;

  private constructor(names: readonly string[], words: readonly string[]) {
    this.#names = new JoinedTexts(names);
    this.#words = new JoinedTexts(words);
  }

  /** Merges folded names in order of rank; other work may run in between. */
  static async of(names: readonly string[]): Promise<NameIndex> {
    const words: string[] = [];
    for (const [i, name] of names.entries()) {
      words.push(` ${name.replaceAll(BETWEEN_WORDS, ' ')}`);
      const pause = (i + 1) % NAMES_A_STEP === 0 ? yieldIfOverdue(SHARED) : undefined;
      if (pause) await pause;
    }
    return new NameIndex(names, words);
  }

  /**
   * Up to `limit` names by their place in the list, best match first: those that are what is asked
   * for, then those that begin with it, those of which a word does, and those that have it anywhere.
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

/** Texts one after another, each between two ends. */
class JoinedTexts {
  readonly #joined: string;
  /** Where the end before each text lies, and where the one after the last does. */
  readonly #starts: Uint32Array;

  constructor(texts: readonly string[]) {
    this.#starts = new Uint32Array(texts.length + 1);
    for (const [i, text] of texts.entries()) {
      this.#starts[i + 1] = this.#starts[i] + END.length + text.length;
    }
    this.#joined = [...texts.map((text) => `${END}${text}`), END].join('');
  }

  /** Adds texts that have `part`, in their order, until there are `limit`. */
  gather(part: string, found: Set<number>, limit: number): void {
    for (let from = 0; found.size < limit; ) {
      const at = this.#joined.indexOf(part, from);
      // The end after the last text is no text.
      if (at === -1 || at === this.#joined.length - END.length) return;
      const text = rankIn(this.#starts, at + 1) - 1;
      found.add(text);
      from = this.#starts[text + 1];
    }
  }
}
