import { BuildError } from '../../builder/errors.ts';
import { LedgerUnavailable } from '../../portal/accounts/ledger.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';

/** What a person can mend without reading code: a wrong flag or value. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const EXPECTED = [BuildError, UsageError, StoreError, ShardError, LedgerUnavailable];

/**
 * Runs a command. Errors that a person can mend are one line on stderr; anything else is a fault of
 * the program and shows its stack. Either way the exit code is 1.
 */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${describe(error)}\n`);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `tta: ${String(error)}`;
  if (EXPECTED.some((kind) => error instanceof kind)) return `tta: ${oneLine(error.message)}`;
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
    const { port } = error as NodeJS.ErrnoException & { port?: number };
    return `tta: port ${port} is in use; give another with --port or PORT`;
  }
  return `tta: a fault of this program, please report it: ${error.stack ?? error.message}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
