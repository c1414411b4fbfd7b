import { messageOf, systemCode } from '../../../shards/error-facts.ts';
import { LedgerUnavailable } from '../ledger.ts';

/** What LMDB or the file system says, by code or in words, and what a person can do. */
const ADVICE: readonly { readonly said: RegExp; readonly advice: string }[] = [
  { said: /EACCES|permission denied/i, advice: 'permission denied; let this user write to it' },
  {
    said: /ENOSPC|no space|file too large|MDB_MAP_FULL/i,
    advice: 'the disk is full; free some space',
  },
  // LMDB's word for a write that was cut short, as a disk that fills up does.
  { said: /input\/output error/i, advice: 'the disk is full, or damaged; free some space' },
  // Whoever closes it last destroys its locks, also for who opens it in that moment.
  {
    said: /invalid argument/i,
    advice: 'its locks are gone, since another process closed it just then; start again',
  },
];

/** What went wrong with a ledger's folder, and what to do. */
export function unavailable(directory: string, error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  const message = messageOf(error);
  const words = `${systemCode(error) ?? ''} ${message}`;
  const advice =
    ADVICE.find(({ said }) => said.test(words))?.advice ?? `cannot be used (${message})`;
  return new LedgerUnavailable(`ledger ${directory}: ${advice}`, { cause: error });
}
