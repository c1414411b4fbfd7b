import type { Ledger, LedgerOptions } from './ledger.ts';
import { parseLedgerAddress } from './ledger-address.ts';
import { holdsLedger } from './sqlite/ledger-folder.ts';
import { openSqliteLedger } from './sqlite/sqlite-ledger.ts';

/**
 * Whether there is no ledger at an address, where opening it would make one: of a folder alone. A
 * Redis is there, or cannot be opened. A `TypeError` of what is no address.
 */
export function isMissingLedger(address: string): boolean {
  const parsed = parseLedgerAddress(address);
  return parsed.kind === 'sqlite' && !holdsLedger(parsed.directory);
}

/**
 * Opens a ledger by its address (`LEDGER_FORMS`). Rejects with a `TypeError` of what is no
 * address, with `LedgerUnavailable` where there is no ledger to be had.
 */
export async function openLedger(address: string, options: LedgerOptions): Promise<Ledger> {
  const parsed = parseLedgerAddress(address);
  if (parsed.kind === 'sqlite') return openSqliteLedger(parsed.directory, options);
  // Loaded when it is asked for: most have no Redis.
  const { openRedisLedger } = await import('./redis/redis-ledger.ts');
  return openRedisLedger(parsed, options);
}
