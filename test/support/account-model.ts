import type { Model } from './linearizability.ts';

/** Operations on the balance of one account. */
export type AccountInput =
  | { readonly kind: 'debit'; readonly tokens: number }
  | { readonly kind: 'refund'; readonly tokens: number }
  | { readonly kind: 'grant' | 'take back'; readonly tokens: number; readonly cause: string }
  | { readonly kind: 'read' }
  /** A debit whose reply was lost, and the operation that refunds it. */
  | { readonly kind: 'lost debit' | 'undo'; readonly tokens: number; readonly id: number }
  /** A read once no operation can be in flight any more. */
  | { readonly kind: 'settled' };

/** The response to an operation. */
export interface AccountOutput {
  readonly balance?: number;
  readonly isDone?: boolean;
  readonly taken?: number;
}

interface AccountState {
  readonly balance: number;
  readonly causes: readonly string[];
  /** Lost debits that were made and not yet refunded. */
  readonly lost: readonly number[];
}

/** A model account: the expected behaviour of a ledger when operations run one after another. */
export function accountModel(balance: number): Model<AccountState, AccountInput, AccountOutput> {
  return {
    initial: { balance, causes: [], lost: [] },
    key: ({ balance, causes, lost }) => JSON.stringify([balance, causes, lost]),
    step(state, input, output) {
      const done = after(state, input);
      if (!done) return undefined;
      const expected = { ...done.output, balance: done.state.balance };
      for (const [name, value] of Object.entries(output ?? {})) {
        if (expected[name as keyof AccountOutput] !== value) return undefined;
      }
      return done.state;
    },
  };
}

function after(
  state: AccountState,
  input: AccountInput,
): { state: AccountState; output: AccountOutput } | undefined {
  const { balance, causes, lost } = state;
  const with_ = (more: number, isDone = true) => {
    return { state: { ...state, balance: balance + more }, output: { isDone } };
  };
  switch (input.kind) {
    case 'debit':
      return input.tokens > balance ? with_(0, false) : with_(-input.tokens);
    case 'refund':
      return with_(input.tokens);
    case 'grant':
    case 'take back': {
      if (causes.includes(input.cause))
        return { ...with_(0, false), output: { isDone: false, taken: 0 } };
      const booked = [...causes, input.cause].sort();
      const taken = Math.min(input.tokens, balance);
      const more = input.kind === 'grant' ? input.tokens : -taken;
      return { state: { ...with_(more).state, causes: booked }, output: { isDone: true, taken } };
    }
    case 'read':
      return with_(0);
    case 'lost debit':
      if (input.tokens > balance) return undefined;
      return {
        ...with_(0),
        state: { ...with_(-input.tokens).state, lost: [...lost, input.id].sort() },
      };
    case 'undo':
      if (!lost.includes(input.id)) return undefined;
      return {
        ...with_(0),
        state: { ...with_(input.tokens).state, lost: lost.filter((id) => id !== input.id) },
      };
    case 'settled':
      return lost.length > 0 ? undefined : with_(0);
  }
}
