import { Option } from 'commander';
import type { Account } from '../../portal/accounts/accounts.ts';
import type { Ledger } from '../../portal/accounts/ledger.ts';
import { openLedger } from '../../portal/accounts/open-ledger.ts';
import { run, UsageError } from './run.ts';

export function ledgerOption(): Option {
  return new Option('--ledger <ledger>', 'the accounts: lmdb:DIR')
    .env('LEDGER')
    .makeOptionMandatory();
}

/** Runs a command on a ledger, which a server may have open at the same time. */
export function runWithLedger(
  address: string,
  use: (ledger: Ledger) => Promise<void>,
): Promise<void> {
  return run(async () => {
    // The rate limits requests, of which a command makes none.
    const ledger = await openLedger(address, { rateLimitPerMinute: 1 }).catch((error: unknown) => {
      throw error instanceof TypeError ? new UsageError(error.message) : error;
    });
    try {
      await use(ledger);
    } finally {
      await ledger.close();
    }
  });
}

/** The account with this e-mail address or id; a `UsageError` if there is none. */
export async function accountCalled(ledger: Ledger, name: string): Promise<Account> {
  const account = name.includes('@')
    ? await ledger.accountByEmail(name)
    : await ledger.account(name.trim());
  if (!account) throw new UsageError(`"${name}": no such account; tta accounts list shows them`);
  return account;
}

/** What to call an account by: its address, or its id if it has none. */
export function nameOf({ email, id }: Account): string {
  return email ?? id;
}

/** Prints a JSON object as a line, or the words for it. */
export function print(isJson: boolean | undefined, json: object, words: string): void {
  process.stdout.write(`${isJson ? JSON.stringify(json) : words}\n`);
}
