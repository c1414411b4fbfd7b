import { ArgumentError, describe } from '../errors.ts';
import { SIGNALS } from '../program-start.ts';

/** Exit code of a command that was typed wrongly. */
export const WRONG_ARGUMENTS = 2;

/** Ends a command whose arguments commander refuses, or which only prints its help. */
export function exitAsTyped({ exitCode }: { readonly exitCode: number }): never {
  process.exit(exitCode === 0 ? 0 : WRONG_ARGUMENTS);
}

/**
 * Runs a command. Errors that the user can fix print one line to stderr; anything else is a bug and
 * prints its stack. The exit code is that of wrong arguments, or else 1.
 */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.exitCode = error instanceof ArgumentError ? WRONG_ARGUMENTS : 1;
    process.stderr.write(`tta: ${describe(error)}\n`);
  }
}

/**
 * Runs a command that continues where it was interrupted, and says so when a signal ends it. The
 * other listeners of the signal end the command, if there are any.
 */
export function runResumable(command: () => Promise<void>): Promise<void> {
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      process.stderr.write(
        '\ntta: interrupted; run the same command again to continue from here\n',
      );
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
  return run(command);
}

type Readers<T> = { readonly [I in keyof T]: () => T[I] | Promise<T[I]> };

/** Reads the parts of a command line; throws one `ArgumentError` with the faults of all of them. */
export async function readTogether<T extends readonly unknown[]>(
  ...readers: Readers<T>
): Promise<T> {
  const read = await Promise.allSettled(readers.map(async (reader) => reader()));
  const errors = read.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  const faults = errors.filter((error) => error instanceof ArgumentError);
  if (faults.length > 0) throw new ArgumentError(faults.map(describe).join('; '));
  if (errors.length > 0) throw errors[0];
  return read.map((one) => (one as PromiseFulfilledResult<unknown>).value) as unknown as T;
}
