import path from 'node:path';
import { openLedger } from '../../portal/accounts/open-ledger.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const TTA = path.resolve('dist/infra/cli/tta.js');
/** Enough for any load. */
export const TOKENS = 1e12;

/**
 * Opens accounts with a key each and enough tokens. Many, because those who
 * share an account would wait for each other's debits.
 */
export async function openAccounts(
  ledgerFolder: string,
  count: number,
  { member = false } = {},
): Promise<string[]> {
  const ledger = await openLedger(`lmdb:${ledgerFolder}`, { rateLimitPerMinute: 1 });
  const atMs = Date.now();
  const keys: string[] = [];
  for (let i = 0; i < count; i++) {
    const { id } = await ledger.createAccount({ email: null, member });
    await ledger.grant(id, { tokens: TOKENS, cause: 'bench', atMs });
    const made = await ledger.createKey(id, 'bench', atMs);
    if (!made.created) throw new Error('a new account has no room for a key');
    keys.push(made.plainKey);
  }
  await ledger.close();
  return keys;
}

/** Starts the service itself, as `tta serve` does, without a limit of its rate. */
export function startService(
  store: string,
  ledgerFolder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const args = ['serve', '--store', store, '--ledger', `lmdb:${ledgerFolder}`, '--port', '0'];
  return startServer([TTA, ...args], { RATE_LIMIT_PER_MINUTE: '1000000000', ...env });
}
