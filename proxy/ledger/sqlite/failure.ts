import path from 'node:path';
import { messageOf, systemCode } from '../../../shards/error-facts.ts';
import { LedgerUnavailable, OutcomeUnknown } from '../ledger.ts';
import { processesWriting } from './file-locks.ts';
import { DATABASE_FILE } from './ledger-folder.ts';

const ADVICE: readonly { readonly said: RegExp; readonly advice: string }[] = [
  {
    said: /EACCES|permission denied|readonly database|unable to open/i,
    advice: 'permission denied; let this user write to it',
  },
  { said: /ENOSPC|disk is full|file too large/i, advice: 'the disk is full; free some space' },
  // An interrupted write, for instance because the disk filled up.
  { said: /disk I\/O error/i, advice: 'the disk is full, or damaged; free some space' },
  {
    said: /not a database|malformed/i,
    advice:
      'its file is damaged; stop every server and portal on it and run tta accounts restore with a backup',
  },
];

export function unavailable(directory: string, error: unknown): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
  const message = messageOf(error);
  const words = `${systemCode(error) ?? ''} ${message}`;
  const advice = /database is locked/i.test(message)
    ? lockedBy(directory)
    : (ADVICE.find(({ said }) => said.test(words))?.advice ?? `cannot be used (${message})`);
  const text = `ledger ${directory}: ${advice}`;
  if (mayBeDone(error)) return new OutcomeUnknown(text, { cause: error });
  return new LedgerUnavailable(text, { cause: error });
}

/** Error for a group whose reply was lost with the thread that was committing it. */
export function lostReply(message: string): Error {
  return Object.assign(new Error(message), { mayBeDone: true });
}

function mayBeDone(error: unknown): boolean {
  return (error as { mayBeDone?: unknown } | null)?.mayBeDone === true;
}

function lockedBy(directory: string): string {
  const [writer] = processesWriting(path.join(directory, DATABASE_FILE));
  if (!writer) return 'another process keeps it locked; try again';
  return `${writer.shown} keeps it locked; let it continue (kill -CONT ${writer.pid}) or end it, and try again`;
}

/** Codes of errors caused by a value: SQLITE_TOOBIG, SQLITE_CONSTRAINT and SQLITE_MISMATCH. */
const OF_VALUES = new Set([18, 19, 20]);
const BUSY = 5;
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE = new Set([11, 26]);
/** The bits of a code that remain without its extension: 261, a log in recovery, is 5, busy. */
const PRIMARY_BITS = 0xff;

/** Whether an error concerns the database itself, so that no change can be made. */
export function isOfTheDatabase(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code !== null && !OF_VALUES.has(code);
}

/** Whether the database was locked by another process, so that a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return primaryCodeOf(error) === BUSY;
}

export function isDamage(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code !== null && DAMAGE.has(code);
}

function primaryCodeOf(error: unknown): number | null {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & PRIMARY_BITS : null;
}
