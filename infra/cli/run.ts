import { describe } from '../errors.ts';

/**
 * Runs a command. Errors that a person can mend are one line on stderr; anything else is a fault of
 * the program and shows its stack. Either way the exit code is 1.
 */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`tta: ${describe(error)}\n`);
  }
}
