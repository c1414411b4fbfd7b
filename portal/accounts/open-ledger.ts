import path from 'node:path';
import type { Ledger, LedgerOptions } from './ledger.ts';
import { parseLedgerAddress } from './ledger-address.ts';
import { DATABASE_FILE, holdsLedger } from './sqlite/ledger-folder.ts';
import type { OpenWriter, Writer } from './sqlite/writer.ts';

/**
 * Whether there is no ledger at an address, so that opening it would create one. Only possible for
 * a folder: a Redis either exists or cannot be opened. Throws a `TypeError` for an invalid address.
 */
export function isMissingLedger(address: string): boolean {
  const parsed = parseLedgerAddress(address);
  return parsed.kind === 'sqlite' && !holdsLedger(parsed.directory);
}

/** Options of a ledger of either kind. */
export interface OpenOptions extends LedgerOptions {
  /** Opens the writer of an embedded ledger; by default a thread of this process. */
  readonly openWriter?: OpenWriter;
}

/**
 * Opens a ledger by its address (`LEDGER_FORMS`). Rejects with a `TypeError` for an invalid
 * address, with `LedgerUnavailable` if the ledger cannot be opened.
 */
export async function openLedger(address: string, options: OpenOptions): Promise<Ledger> {
  const parsed = parseLedgerAddress(address);
  // Loaded on demand, since an installation uses one kind.
  if (parsed.kind === 'sqlite') {
    const { openSqliteLedger } = await import('./sqlite/sqlite-ledger.ts');
    return openSqliteLedger(parsed.directory, options);
  }
  const { openRedisLedger } = await import('./redis/redis-ledger.ts');
  return openRedisLedger(parsed, options);
}

/**
 * Opens the writer shared by several processes that have an embedded ledger open. Throws a
 * `TypeError` for an address of another kind.
 */
export async function openSharedWriter(address: string): Promise<Writer> {
  const parsed = parseLedgerAddress(address);
  if (parsed.kind !== 'sqlite') throw new TypeError(`${parsed.kind}: not an embedded ledger`);
  const { checkAfterCrash } = await import('./sqlite/backup.ts');
  const { openWriter } = await import('./sqlite/writer.ts');
  const { SharedWriter } = await import('./sqlite/shared-writer.ts');
  checkAfterCrash(parsed.directory);
  return new SharedWriter(openWriter(path.join(parsed.directory, DATABASE_FILE)));
}
