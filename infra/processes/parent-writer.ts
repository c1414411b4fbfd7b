import { lostReply } from '../../portal/accounts/sqlite/failure.ts';
import type { Outcome, Write } from '../../portal/accounts/sqlite/operations.ts';
import { outcomesIn, type Reply } from '../../portal/accounts/sqlite/reply.ts';
import type { Writer } from '../../portal/accounts/sqlite/writer.ts';

interface Parent {
  /** Whether the parent still exists. */
  isThere(): boolean;
  commit(writes: readonly Write[]): Promise<Reply>;
}

/**
 * Sends the changes of a process to the parent, which commits them together with those of other
 * processes. Once the parent is gone, commits changes with a writer of its own, so that requests in
 * progress can complete. Whether the parent committed the last group that it received is unknown.
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
    if (this.#parent.isThere()) return outcomesIn(await this.#replyOfParent(group));
    this.#own ??= this.#openOwn();
    return (await this.#own).commit(group);
  }

  async #replyOfParent(group: readonly Write[]): Promise<Reply> {
    try {
      return await this.#parent.commit(group);
    } catch {
      throw lostReply('the process that commits changes has exited');
    }
  }

  async close(): Promise<void> {
    await (await this.#own)?.close();
  }
}
