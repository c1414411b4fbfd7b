import type { AccountId } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { issuedKey, newAccount } from './customers.ts';

/**
 * The books of an account. Σ grants − Σ usage = balance; otherwise tokens have been lost or
 * created.
 */
export interface AccountTotals {
  readonly granted: number;
  readonly used: number;
  /** Number of paid requests. */
  readonly requests: number;
  readonly balance: number;
}

export async function totalsOf(ledger: Ledger, account: AccountId): Promise<AccountTotals> {
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

/** Opens an account with one key. */
export async function openCustomer(
  ledger: Ledger,
  { tokens, isMember = false }: { tokens: number; isMember?: boolean },
): Promise<{ account: AccountId; keyId: string; key: string }> {
  const { id } = await newAccount(ledger, { email: null, member: isMember });
  const atMs = Date.now();
  if (tokens > 0) await ledger.grant(id, { tokens, cause: 'test', atMs }, 'operator');
  const { key, plainKey } = await issuedKey(ledger, id, 'test', atMs);
  return { account: id, keyId: key.id, key: plainKey };
}

/** Opens the ledger in a folder while `use` runs; a service may have it open at the same time. */
export async function withLedger<T>(
  folder: string,
  use: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const ledger = await openLedger(`sqlite:${folder}`, { rateLimitPerMinute: 1 });
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}
