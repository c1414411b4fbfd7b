import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Ledger, LedgerUnavailable, RefundPending } from '../../proxy/ledger/ledger.ts';
import type { Charge } from '../../proxy/ledger/metering.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { type AccountInput, type AccountOutput, accountModel } from '../support/account-model.ts';
import { openBreakableProxy } from '../support/breakable-proxy.ts';
import { newAccount, ROUTE } from '../support/customers.ts';
import { forAll } from '../support/for-all.ts';
import { History, isLinearizable, type Model, type Operation } from '../support/linearizability.ts';
import { newRedisLedgers, newSqliteLedgers } from '../support/new-ledgers.ts';
import { openSecondLedger } from '../support/second-ledger.ts';
import { ofThisTest } from '../support/test-resources.ts';

type AccountOperation = Operation<AccountInput, AccountOutput>;
const OPTIONS = { rateLimitPerMinute: 1_000_000 };
const START = 50;
const NEVER = Number.POSITIVE_INFINITY;
const of = <K extends string>(...kinds: K[]) => ({ kind: fc.constantFrom(...kinds) });

describe('the checker', () => {
  const debit = (calledAt: number, returnedAt: number, isDone: boolean, balance: number) => {
    const input = { kind: 'debit', tokens: 10 } as const;
    return { input, calledAt, returnedAt, output: { isDone, balance } };
  };
  const read = (calledAt: number, returnedAt: number, balance: number) => {
    return { input: { kind: 'read' } as const, calledAt, returnedAt, output: { balance } };
  };
  /** An operation without a response, which may have taken effect at any time since. */
  const unanswered = (calledAt: number, kind: 'lost debit' | 'undo') => {
    const input = { kind, tokens: 10, id: 1 };
    return { input, calledAt, returnedAt: NEVER, output: undefined };
  };

  const LOST = [unanswered(0, 'lost debit'), unanswered(1, 'undo')];
  const grant = (calledAt: number) => {
    const input = { kind: 'grant', tokens: 1, cause: 'c' } as const;
    return { input, calledAt, returnedAt: calledAt + 1, output: { isDone: true } };
  };

  test.each<[string, boolean, AccountOperation[]]>([
    ['side by side, in the other order', true, [debit(0, 5, true, 0), debit(1, 4, true, 10)]],
    ['both take the last tokens', false, [debit(0, 5, true, 10), debit(1, 4, true, 10)]],
    ['one after another, in the other order', false, [debit(0, 1, true, 0), debit(2, 3, true, 10)]],
    ['a read of before, after a debit', false, [debit(0, 1, true, 10), read(2, 3, 20)]],
    ['a read of before, beside a debit', true, [debit(0, 3, true, 10), read(1, 2, 20)]],
    [
      'a read of after, then of before',
      false,
      [debit(0, 9, true, 10), read(1, 2, 10), read(3, 4, 20)],
    ],
    ['refused while there is enough', false, [debit(0, 1, false, 20)]],
    ['a grant made twice', false, [grant(0), grant(2)]],
    ['a lost debit that is seen, and given back', true, [...LOST, read(2, 3, 10), read(4, 5, 20)]],
    [
      'a lost debit that stays',
      false,
      [...LOST, { ...read(2, 3, 10), input: { kind: 'settled' } }],
    ],
  ])('%s: %s', (_, isRight, history) => {
    expect(isLinearizable(accountModel(20), history)).toBe(isRight);
  });

  test('agrees with trying every order on small histories', async () => {
    const operation = fc.record({
      calledAt: fc.nat(8),
      takes: fc.nat(4),
      isAnswered: fc.boolean(),
      input: fc.oneof(
        fc.record({ ...of('debit'), tokens: fc.nat(3) }),
        fc.record({ ...of('grant'), tokens: fc.nat(2), cause: fc.constant('c') }),
        fc.record(of('read')),
      ),
      output: fc.record({ balance: fc.nat(5) }),
    });
    let right = 0;
    const runs = 3_000;
    await forAll(runs, fc.array(operation, { minLength: 1, maxLength: 4 }), (drawn) => {
      const history = drawn.map(({ calledAt, takes, isAnswered, input, output }, i) => ({
        input,
        // No two calls or returns have the same time.
        calledAt: calledAt + i / 10,
        returnedAt: isAnswered ? calledAt + takes + i / 10 + 0.05 : NEVER,
        output: isAnswered ? output : undefined,
      }));
      const found = isLinearizable(accountModel(3), history);
      expect(found).toBe(isSomeOrder(accountModel(3), history));
      if (found) right++;
    });
    expect(right).toBeGreaterThan(runs / 20);
    expect(right).toBeLessThan(runs - runs / 20);
  });
});

/** Tries every order of all completed operations and any subset of the incomplete ones. */
function isSomeOrder<State>(
  model: Model<State, AccountInput, AccountOutput>,
  history: readonly AccountOperation[],
): boolean {
  const isAnswered = ({ returnedAt }: AccountOperation) => returnedAt < Number.POSITIVE_INFINITY;
  const permutations = (rest: readonly AccountOperation[]): AccountOperation[][] => [
    ...(rest.some(isAnswered) ? [] : [[]]),
    ...rest.flatMap((first) => {
      const others = rest.filter((operation) => operation !== first);
      return permutations(others).map((order) => [first, ...order]);
    }),
  ];
  return permutations(history).some((order) => {
    const isInTime = order.every((operation, i) =>
      order.slice(0, i).every((earlier) => earlier.calledAt < operation.returnedAt),
    );
    let state: State | undefined = model.initial;
    for (const { input, output } of order) {
      state = state === undefined ? undefined : model.step(state, input, output);
    }
    return isInTime && state !== undefined;
  });
}

const tokens = fc.integer({ min: 1, max: 20 });
const cause = fc.constantFrom('a', 'b', 'c', 'd');
/**
 * Operations of one of several customers, made in sequence; each refund refers to one of the
 * customer's own debits.
 */
const work = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ ...of('debit'), tokens }) },
    { weight: 2, arbitrary: fc.record(of('refund')) },
    { weight: 2, arbitrary: fc.record({ ...of('grant', 'take back'), tokens: fc.nat(30), cause }) },
    { weight: 1, arbitrary: fc.record(of('read')) },
  ),
  { minLength: 2, maxLength: 7 },
);
type Step = typeof work extends fc.Arbitrary<(infer S)[]> ? S : never;

/**
 * Runs all customers at once on one account, each on one of the ledgers, and records the history.
 */
async function historyOf(
  ledgers: readonly Ledger[],
  works: readonly Step[][],
): Promise<{ history: History<AccountInput, AccountOutput>; account: string }> {
  const { id: account } = await newAccount(ledgers[0]);
  await ledgers[0].grant(account, { tokens: START, cause: 'start', atMs: 1 }, 'operator');
  const history = new History<AccountInput, AccountOutput>();
  let lost = 0;
  const worker = async (ledger: Ledger, steps: readonly Step[]) => {
    const debits: Charge[] = [];
    const done: Record<Step['kind'], (step: Step) => Promise<unknown>> = {
      async debit(step) {
        if (step.kind !== 'debit') return;
        const { tokens } = step;
        const charge = { account, keyId: 'key', route: ROUTE, tokens, atMs: 1 };
        const calledAt = history.now();
        try {
          const { isDone } = await history.note(step, async () => {
            const { outcome, balance } = await ledger.debit(charge);
            return { isDone: outcome === 'debited', balance };
          });
          if (isDone) debits.push(charge);
        } catch (error) {
          if (!(error instanceof LedgerUnavailable)) throw error;
          // A debit reported as not made was not made.
          if (!(error instanceof RefundPending)) return;
          lost++;
          history.noteOpen({ kind: 'lost debit', tokens, id: lost }, calledAt);
          history.noteOpen({ kind: 'undo', tokens, id: lost });
        }
      },
      async refund() {
        const charge = debits.pop();
        if (!charge) return;
        const input = { kind: 'refund', tokens: charge.tokens } as const;
        const calledAt = history.now();
        try {
          await history.note(input, async () => {
            await ledger.refund(charge);
            return {};
          });
        } catch (error) {
          if (!(error instanceof RefundPending)) throw error;
          history.noteOpen(input, calledAt);
        }
      },
      async grant(step) {
        if (step.kind !== 'grant' && step.kind !== 'take back') return;
        const { tokens } = step;
        const cause = `${step.kind} ${step.cause}`;
        const given = { tokens, cause, atMs: 1 };
        const calledAt = history.now();
        try {
          await history.note({ ...step, cause }, async () => {
            if (step.kind === 'take back') return ledger.takeBack(account, given, 'payment');
            const { granted, balance } = await ledger.grant(account, given, 'payment');
            return { isDone: granted, balance };
          });
        } catch (error) {
          if (!(error instanceof LedgerUnavailable)) throw error;
          if (error.mayBeDone) history.noteOpen({ ...step, cause }, calledAt);
        }
      },
      'take back': (step) => done.grant(step),
      async read() {
        await history
          .note({ kind: 'read' }, async () => ({
            balance: (await ledger.account(account))!.balance,
          }))
          .catch((error) => expect(error).toBeInstanceOf(LedgerUnavailable));
      },
    };
    for (const step of steps) await done[step.kind](step);
  };
  await Promise.all(works.map((steps, i) => worker(ledgers[i % ledgers.length], steps)));
  return { history, account };
}

const sqliteAddress = newSqliteLedgers();
const redisAddress = newRedisLedgers();

describe.each([
  ['SQLite', sqliteAddress],
  ['Redis', redisAddress],
])('on %s', (_, newAddress) => {
  test('concurrent operations, on one server or two, are linearizable', async () => {
    const address = newAddress();
    const ledgers = [
      await openSecondLedger(address, OPTIONS),
      await openSecondLedger(address, OPTIONS),
    ];
    try {
      await forAll(60, fc.array(work, { minLength: 2, maxLength: 6 }), async (works) => {
        const { history, account } = await historyOf(ledgers, works);
        await history.note({ kind: 'settled' }, async () => ({
          balance: (await ledgers[0].account(account))!.balance,
        }));
        expect(isLinearizable(accountModel(START), history.operations)).toBe(true);
      });
    } finally {
      for (const ledger of ledgers) await ledger.close();
    }
  });
});

test('operations on Redis stay linearizable while replies are lost, and no lost debit stays charged', async () => {
  const address = redisAddress();
  const wire = await ofThisTest(openBreakableProxy(Number(new URL(address).port)));
  const beside = await ofThisTest(openLedger(address, OPTIONS));
  let lost = 0;
  await forAll(
    30,
    fc.array(work, { minLength: 3, maxLength: 6 }),
    fc.nat(12),
    async (works, after) => {
      const { pathname } = new URL(address);
      const ledger = await openLedger(`redis://127.0.0.1:${wire.port}${pathname}`, OPTIONS);
      const asked = historyOf([beside, ledger, ledger], works);
      for (let turn = 0; turn < after; turn++) await new Promise(setImmediate);
      const cut = wire.cutAfterNext();
      const { history, account } = await asked;
      // Closing settles outstanding refunds; a cut that no command has hit yet hits the QUIT.
      await ledger.close();
      await cut;
      lost += history.operations.filter(({ input }) => input.kind === 'lost debit').length;
      await history.note({ kind: 'settled' }, async () => ({
        balance: (await beside.account(account))!.balance,
      }));
      expect(isLinearizable(accountModel(START), history.operations)).toBe(true);
    },
  );
  expect(lost).toBeGreaterThan(10);
});
