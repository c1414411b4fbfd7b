import {
  type Account,
  type AccountId,
  type Accounts,
  type Change,
  type KeyIssue,
  WITHOUT_END,
} from '../../proxy/ledger/accounts.ts';

export const BY: Change = { by: 'operator', atMs: Date.UTC(2026, 0, 1) };

/** The route that charges in tests are for. */
export const ROUTE = 'GET /v1/blocks/{geoid}/summary';

/** Opens an account without tokens and, by default, without an email address. */
export async function newAccount(
  ledger: Accounts,
  { email = null, member = false }: { email?: string | null; member?: boolean } = {},
): Promise<Account> {
  const order = { email, grant: null, by: 'operator', atMs: Date.now() } as const;
  const { account } = await ledger.openAccount(order);
  if (member) await ledger.setMembership(account.id, WITHOUT_END, BY);
  return account;
}

/** Issues one more key of an account, unless the account has reached its limit. */
export function newKey(
  ledger: Accounts,
  id: AccountId,
  label: string,
  atMs: number,
): Promise<KeyIssue> {
  return ledger.issueKey({ owner: { id }, label, by: 'operator', atMs });
}

/** Issues one more key of an account; throws if the account has reached its limit. */
export async function issuedKey(
  ...order: Parameters<typeof newKey>
): Promise<Extract<KeyIssue, { created: true }>> {
  const made = await newKey(...order);
  if (!made.created) throw new Error(made.reason);
  return made;
}
