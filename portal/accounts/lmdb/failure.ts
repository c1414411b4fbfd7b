import { messageOf, systemCode } from '../../../shards/error-facts.ts';
import { LedgerUnavailable } from '../ledger.ts';

/** Errors of LMDB and the file system, by code or text, with advice. */
const ADVICE: readonly { readonly said: RegExp; readonly advice: string }[] = [
  { said: /EACCES|permission denied/i, advice: 'permission denied; let this user write to it' },
  {
    said: /ENOSPC|no space|file too large|MDB_MAP_FULL/i,
    advice: 'the disk is full; free some space',
  },
  // LMDB's word for a write that was cut short, as a disk that fills up does.
  { said: /input\/output error/i, advice: 'the disk is full, or damaged; free some space' },
  // The last closer destroys the locks, even for a process that is opening the ledger at that
  // moment.
  {
    said: /invalid argument/i,
    advice: 'its locks are gone, since another process closed it just then; start again',
  },
];

/** Explains a fault of a ledger's folder and how to fix it. */
export function unavailable(directory: string, error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  const message = messageOf(error);
  const words = `${systemCode(error) ?? ''} ${message}`;
  const advice =
    ADVICE.find(({ said }) => said.test(words))?.advice ?? `cannot be used (${message})`;
  return new LedgerUnavailable(`ledger ${directory}: ${advice}`, { cause: error });
}
