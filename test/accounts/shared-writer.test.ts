import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ParentWriter } from '../../infra/processes/parent-writer.ts';
import { OutcomeUnknown } from '../../portal/accounts/ledger.ts';
import { openLedger } from '../../portal/accounts/open-ledger.ts';
import { lostReply } from '../../portal/accounts/sqlite/failure.ts';
import type { Outcome, Write } from '../../portal/accounts/sqlite/operations.ts';
import { failureOf, outcomesIn } from '../../portal/accounts/sqlite/reply.ts';
import { SharedWriter } from '../../portal/accounts/sqlite/shared-writer.ts';
import type { Writer } from '../../portal/accounts/sqlite/writer.ts';
import { ROUTE } from '../support/customers.ts';
import { forAll } from '../support/for-all.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';

const newAddress = newSqliteLedgers();

/** A writer whose transactions end when the test ends them; the outcome of a change is its name. */
class SlowWriter implements Writer {
  readonly transactions: { writes: readonly Write[]; end(error?: Error): void }[] = [];
  isClosed = false;

  commit(writes: readonly Write[]): Promise<readonly Outcome[]> {
    return new Promise((resolve, reject) => {
      const outcomes = writes.map(({ args }) => ({ value: args[0] }));
      this.transactions.push({
        writes,
        end: (error) => (error ? reject(error) : resolve(outcomes)),
      });
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const write = (name: string): Write => ({ name: 'noteUse', args: [name] });
const group = (...names: string[]) => names.map(write);
const named = (writes: readonly Write[]) => writes.map(({ args }) => args[0]);
const turn = () => new Promise(setImmediate);

test('groups that arrive during a transaction share the next, each with its own outcomes', async () => {
  const slow = new SlowWriter();
  const shared = new SharedWriter(slow);
  const outcomes = [group('a'), group('b', 'c'), group('d')].map((one) => shared.commit(one));
  expect(slow.transactions.map(({ writes }) => named(writes))).toEqual([['a']]);
  slow.transactions[0].end();
  await turn();
  expect(named(slow.transactions[1].writes)).toEqual(['b', 'c', 'd']);
  slow.transactions[1].end();
  expect(await Promise.all(outcomes)).toEqual([
    [{ value: 'a' }],
    [{ value: 'b' }, { value: 'c' }],
    [{ value: 'd' }],
  ]);
  expect(slow.transactions).toHaveLength(2);
});

test('a transaction that fails rejects its groups and no others', () =>
  forAll(50, fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), async (fails) => {
    const slow = new SlowWriter();
    const shared = new SharedWriter(slow);
    for (const [round, isFailing] of fails.entries()) {
      const pair = [`first ${round}`, `second ${round}`];
      // The first group of a round takes a transaction of its own; the pair shares the next.
      const alone = shared.commit(group('alone'));
      const settled = Promise.allSettled(pair.map((name) => shared.commit(group(name))));
      slow.transactions.at(-1)!.end();
      expect(await alone).toEqual([{ value: 'alone' }]);
      slow.transactions.at(-1)!.end(isFailing ? new Error('disk full') : undefined);
      const expected = pair.map((name) =>
        isFailing
          ? { status: 'rejected', reason: new Error('disk full') }
          : { status: 'fulfilled', value: [{ value: name }] },
      );
      expect(await settled).toEqual(expected);
    }
  }));

test('closing closes the writer once the groups in progress are settled', async () => {
  const slow = new SlowWriter();
  const shared = new SharedWriter(slow);
  const settled = Promise.all([shared.commit(group('a')), shared.commit(group('b'))]);
  const closed = shared.close();
  for (let i = 0; i < 2; i++) {
    await turn();
    expect(slow.isClosed).toBe(false);
    slow.transactions[i].end();
  }
  expect(await settled).toEqual([[{ value: 'a' }], [{ value: 'b' }]]);
  await closed;
  expect(slow.isClosed).toBe(true);
});

test('whether a debit was made stays unknown if the process that commits it exits, or its thread does', async () => {
  const gone = { isThere: () => true, commit: () => Promise.reject(new Error('rpc is closed')) };
  const stopped = {
    isThere: () => true,
    commit: async () => failureOf(lostReply('the writer thread has stopped')),
  };
  for (const parent of [gone, stopped]) {
    const ledger = await openLedger(newAddress(), {
      rateLimitPerMinute: 1,
      openWriter: () => new ParentWriter(parent, () => Promise.reject(new Error('not opened'))),
    });
    const due = { account: 'a', keyId: 'k', route: ROUTE, tokens: 1, atMs: 0 };
    await expect(ledger.debit(due)).rejects.toBeInstanceOf(OutcomeUnknown);
  }
});

test('a failure crosses processes with its message and SQLite’s code', () => {
  const error = Object.assign(new Error('disk I/O error'), { errcode: 10, path: 'secret' });
  const copied = structuredClone(failureOf(error));
  expect(() => outcomesIn(copied)).toThrow('disk I/O error');
  expect(copied).toEqual({ failure: { message: 'disk I/O error', errcode: 10 } });
});

test('a process without its parent commits through a writer of its own, and closes the writer', async () => {
  const own = new SlowWriter();
  let isThere = true;
  let opened = 0;
  const writer = new ParentWriter(
    {
      isThere: () => isThere,
      commit: async (writes) => ({ outcomes: writes.map(() => ({ value: 'by the parent' })) }),
    },
    async () => {
      opened++;
      return own;
    },
  );
  expect(await writer.commit(group('a'))).toEqual([{ value: 'by the parent' }]);
  expect(opened).toBe(0);
  isThere = false;
  for (const name of ['b', 'c']) {
    const outcomes = writer.commit(group(name));
    await turn();
    own.transactions.at(-1)!.end();
    expect(await outcomes).toEqual([{ value: name }]);
  }
  expect(opened).toBe(1);
  await writer.close();
  expect(own.isClosed).toBe(true);
});

test('a failure in the parent rejects the commit of the process', async () => {
  const failing = new ParentWriter(
    { isThere: () => true, commit: async () => failureOf(new Error('disk full')) },
    () => Promise.reject(new Error('not needed')),
  );
  await expect(failing.commit(group('a'))).rejects.toThrow('disk full');
  await failing.close();
});
