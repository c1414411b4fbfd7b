import type { Account, Change } from '../../proxy/ledger/accounts.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { isMissingLedger, openLedger } from '../../proxy/ledger/open-ledger.ts';
import { UsageError } from '../errors.ts';
import { ledgerSchema } from '../settings/locations.ts';
import { type Flags, readSettings } from '../settings/read-settings.ts';
import { tell } from './print.ts';
import { readTogether, run } from './run.ts';

/**
 * Runs a command on the ledger from its settings, which a server may have open at the same time.
 * `check` throws an `ArgumentError` for flags of the command. Throws a `UsageError` if the ledger
 * does not exist, unless the command may create it (`mayCreate`), in which case stderr names the
 * new ledger, since its address may have been mistyped.
 */
export function runWithLedger(
  flags: Flags,
  use: (ledger: Ledger) => Promise<void>,
  {
    mayCreate = false,
    check = () => {},
  }: { readonly mayCreate?: boolean; readonly check?: () => unknown } = {},
): Promise<void> {
  return run(async () => {
    const [{ LEDGER }] = await readTogether(() => readSettings(ledgerSchema, flags), check);
    if (!mayCreate) requireLedger(LEDGER);
    const isNew = isMissingLedger(LEDGER);
    // The limit has no effect, since it applies to requests, and a command makes none.
    const ledger = await openLedger(LEDGER, { rateLimitPerMinute: 1 });
    if (isNew) tell(`created the ledger ${LEDGER}`);
    try {
      await use(ledger);
    } finally {
      await ledger.close();
    }
  });
}

/** Throws a `UsageError` if there is no ledger at an address. */
export function requireLedger(address: string): void {
  if (!isMissingLedger(address)) return;
  throw new UsageError(
    `${address}: no such ledger; create one with keys create or accounts import, or by starting a server`,
  );
}

/** Finds the account with this e-mail address or id. Throws a `UsageError` if there is none. */
export async function accountCalled(ledger: Ledger, name: string): Promise<Account> {
  const account = name.includes('@')
    ? await ledger.accountByEmail(name)
    : await ledger.account(name.trim());
  if (!account)
    throw new UsageError(`"${name}": no such account; list accounts with tta accounts list`);
  return account;
}

/** Marks a change as made by the operator. */
export function operator(): Change {
  return { by: 'operator', atMs: Date.now() };
}

/** Display name of an account: its address, or its id if it has none. */
export function nameOf({ email, id }: Account): string {
  return email ?? id;
}
