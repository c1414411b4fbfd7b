import type { AccountId } from '../../../portal/accounts/accounts.ts';
import type { Ledger } from '../../../portal/accounts/ledger.ts';
import { openLedger } from '../../../portal/accounts/open-ledger.ts';
import type { Asker, Tally } from './lane.ts';

/** What an account's books say. */
export interface Books {
  readonly granted: number;
  readonly used: number;
  readonly requests: number;
  readonly balance: number;
}

/** An asker whose account is in the ledger. */
interface Opened extends Asker {
  readonly account: AccountId | null;
}

const RICH = 1e12;
/** Spent long before a run ends. */
const POOR = 2_000;

/** Everybody who may ask: some who can pay, one member, who cannot pay, and who may not ask. */
export async function openFuzzAccounts(folder: string): Promise<Opened[]> {
  return withLedger(folder, async (ledger) => {
    const opened = async (name: string, tokens: number, isMember = false): Promise<Opened> => {
      const { id } = await ledger.createAccount({ email: null, member: isMember });
      const atMs = Date.now();
      if (tokens > 0) await ledger.grant(id, { tokens, cause: 'fuzz', atMs });
      const made = await ledger.createKey(id, 'fuzz', atMs);
      if (!made.created) throw new Error(made.reason);
      return { name, account: id, isMember, authorization: `Bearer ${made.plainKey}` };
    };
    const rich: Opened[] = [];
    for (let i = 0; i < 6; i++) rich.push(await opened(`rich ${i}`, RICH));
    const disabled = await opened('disabled', RICH);
    await ledger.setDisabled(disabled.account!, true);
    const revoked = await opened('revoked', RICH);
    const [key] = await ledger.keys(revoked.account!);
    await ledger.revokeKey(revoked.account!, key.id);
    const typed = String(rich[0].authorization);
    const mistyped = typed.slice(0, -1) + (typed.endsWith('a') ? 'b' : 'a');
    return [
      ...rich,
      ...[await opened('member', RICH, true), await opened('poor', POOR)],
      ...[await opened('empty', 0), disabled, revoked],
      { name: 'mistyped', account: null, isMember: false, authorization: mistyped },
      { name: 'garbled', account: null, isMember: false, authorization: 'Basic \xe9\xff ,;' },
      { name: 'nobody', account: null, isMember: false, authorization: null },
    ];
  });
}

/** Once the service is closed: where what was charged, debited and delivered differ. */
export async function faultsInBooks(
  folder: string,
  askers: readonly Opened[],
  { charged }: Tally,
): Promise<string[]> {
  return withLedger(folder, async (ledger) => {
    const faults: string[] = [];
    for (const { name, account } of askers) {
      const said = charged.get(name) ?? { tokens: 0, worth: 0, answers: 0 };
      if (account === null) {
        if (said.tokens !== 0) faults.push(`${name} was charged ${said.tokens}`);
        continue;
      }
      const { granted, used, requests, balance } = await booksOf(ledger, account);
      const sums = { charged: said.tokens, debited: used, delivered: said.worth };
      const isOne = used === said.tokens && used === said.worth && granted - used === balance;
      if (!isOne || requests !== said.answers) {
        faults.push(
          `${name}: ${JSON.stringify({ ...sums, granted, balance, requests, paid_answers: said.answers })}`,
        );
      }
    }
    return faults;
  });
}

export async function booksOf(ledger: Ledger, account: AccountId): Promise<Books> {
  const [grants, usage, state] = await Promise.all([
    ledger.grants(account),
    ledger.usage(account),
    ledger.account(account),
  ]);
  return {
    granted: grants.reduce((sum, { tokens }) => sum + tokens, 0),
    used: usage.reduce((sum, { tokens }) => sum + tokens, 0),
    requests: usage.reduce((sum, day) => sum + day.requests, 0),
    balance: state!.balance,
  };
}

export async function withLedger<T>(
  folder: string,
  use: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const ledger = await openLedger(`lmdb:${folder}`, { rateLimitPerMinute: 1 });
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}
