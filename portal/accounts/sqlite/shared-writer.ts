import type { Outcome, Write } from './operations.ts';
import type { Writer } from './writer.ts';

interface WaitingGroup {
  readonly writes: readonly Write[];
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: unknown): void;
}

/**
 * Commits the groups of several processes; those that arrive during one transaction share the next
 * one and its disk sync. Separate writers would wait for each other's locks.
 */
export class SharedWriter implements Writer {
  readonly #writer: Writer;
  #waiting: WaitingGroup[] = [];
  /** Settles once no group is waiting; null while none is. */
  #running: Promise<void> | null = null;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  commit(writes: readonly Write[]): Promise<readonly Outcome[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ writes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Closes the writer after the groups in progress. */
  async close(): Promise<void> {
    await this.#running;
    await this.#writer.close();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const groups = this.#waiting.splice(0);
      try {
        const outcomes = await this.#writer.commit(groups.flatMap(({ writes }) => writes));
        let begin = 0;
        for (const { writes, resolve } of groups) {
          resolve(outcomes.slice(begin, begin + writes.length));
          begin += writes.length;
        }
      } catch (error) {
        for (const { reject } of groups) reject(error);
      }
    }
    this.#running = null;
  }
}
