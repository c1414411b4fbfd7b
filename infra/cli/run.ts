import { describe } from '../errors.ts';

/**
 * Runs a command. Errors that the user can fix print one line to stderr; anything else is a bug and
 * prints its stack. Either way the exit code is 1.
 */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`tta: ${describe(error)}\n`);
  }
}
