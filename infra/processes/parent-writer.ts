import type { Outcome, Write } from '../../portal/accounts/sqlite/operations.ts';
import { outcomesIn, type Reply } from '../../portal/accounts/sqlite/reply.ts';
import type { Writer } from '../../portal/accounts/sqlite/writer.ts';

interface Parent {
  /** Whether it still exists. */
  isThere(): boolean;
  commit(writes: readonly Write[]): Promise<Reply>;
}

/**
 * Has the parent commit the changes of a process, together with those of the others. Once the
 * parent is gone, commits them by a writer of its own, so that requests in progress can complete;
 * of a group sent before, it stays unknown whether it was committed, and it counts as failed.
 */
export class ParentWriter implements Writer {
  readonly #parent: Parent;
  readonly #openOwn: () => Promise<Writer>;
  #own: Promise<Writer> | null = null;

  constructor(parent: Parent, openOwn: () => Promise<Writer>) {
    this.#parent = parent;
    this.#openOwn = openOwn;
  }

  async commit(group: readonly Write[]): Promise<readonly Outcome[]> {
    if (this.#parent.isThere()) return outcomesIn(await this.#parent.commit(group));
    this.#own ??= this.#openOwn();
    return (await this.#own).commit(group);
  }

  async close(): Promise<void> {
    await (await this.#own)?.close();
  }
}
