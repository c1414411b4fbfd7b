import path from 'node:path';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const TTA = path.resolve('dist/infra/cli/tta.js');
/** Tokens of an account: enough for any load. */
export const TOKENS = 1e12;

/** Accounts opened concurrently. */
const AT_ONCE = 1_000;

/** Opens accounts on a SQLite ledger. */
export function openAccounts(
  ledgerFolder: string,
  count: number,
  options: { readonly member?: boolean } = {},
): Promise<string[]> {
  return openAccountsOn(`sqlite:${ledgerFolder}`, count, options);
}

/**
 * Opens accounts with one key each and enough tokens. Loads need many, since clients that share an
 * account would wait for each other's debits.
 */
export async function openAccountsOn(
  address: string,
  count: number,
  { member = false } = {},
): Promise<string[]> {
  const ledger = await openLedger(address, { rateLimitPerMinute: 1 });
  const atMs = Date.now();
  const keys: string[] = [];
  while (keys.length < count) {
    const made = await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - keys.length) }, () =>
        ledger.issueKey({
          owner: { email: null },
          label: 'bench',
          by: 'operator',
          member,
          atMs,
          grant: { tokens: TOKENS, cause: 'bench', atMs },
        }),
      ),
    );
    for (const issue of made) {
      if (!issue.created) throw new Error('a new account has no room for a key');
      keys.push(issue.plainKey);
    }
  }
  await ledger.close();
  return keys;
}

/** Starts the service itself, as `tta serve` does, on a SQLite ledger without a rate limit. */
export function startService(
  store: string,
  ledgerFolder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startServiceOn(store, `sqlite:${ledgerFolder}`, env);
}

/** Starts the service as `tta serve` does, on any ledger, without a rate limit. */
export function startServiceOn(
  store: string,
  ledger: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const args = ['serve', '--store', store, '--ledger', ledger, '--port', '0'];
  return startServer([TTA, ...args], { RATE_LIMIT_PER_MINUTE: '1000000000', ...env });
}
