import { messageOf, systemCode } from '../../../shards/error-facts.ts';
import { LedgerUnavailable } from '../ledger.ts';

/** What went wrong with a ledger's folder, and what to do. */
export function unavailable(directory: string, error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  const code = systemCode(error);
  const message = messageOf(error);
  const advice =
    code === 'EACCES' || /permission denied/i.test(message)
      ? 'permission denied; let this user write to it'
      : code === 'ENOSPC' || /no space|file too large|MDB_MAP_FULL/i.test(message)
        ? 'the disk is full; free some space'
        : // LMDB's word for a write that was cut short, as a disk that fills up does.
          /input\/output error/i.test(message)
          ? 'the disk is full, or damaged; free some space'
          : `cannot be used (${message})`;
  return new LedgerUnavailable(`ledger ${directory}: ${advice}`, { cause: error });
}
