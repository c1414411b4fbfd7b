import type { Ledger, LedgerOptions } from './ledger.ts';
import { parseLedgerAddress } from './ledger-address.ts';
import { holdsLedger } from './sqlite/ledger-folder.ts';

/**
 * Whether there is no ledger at an address, so that opening it would create one. Only possible for
 * a folder: a Redis either exists or cannot be opened. Throws a `TypeError` for an invalid address.
 */
export function isMissingLedger(address: string): boolean {
  const parsed = parseLedgerAddress(address);
  return parsed.kind === 'sqlite' && !holdsLedger(parsed.directory);
}

/**
 * Opens a ledger by its address (`LEDGER_FORMS`). Rejects with a `TypeError` for an invalid
 * address, with `LedgerUnavailable` if the ledger cannot be opened.
 */
export async function openLedger(address: string, options: LedgerOptions): Promise<Ledger> {
  const parsed = parseLedgerAddress(address);
  // Loaded on demand, since an installation uses one kind.
  if (parsed.kind === 'sqlite') {
    const { openSqliteLedger } = await import('./sqlite/sqlite-ledger.ts');
    return openSqliteLedger(parsed.directory, options);
  }
  const { openRedisLedger } = await import('./redis/redis-ledger.ts');
  return openRedisLedger(parsed, options);
}
