/**
 * Something the person at the command can mend: which file, which record, and what to do.
 * The command prints the message alone and exits with 1.
 */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}
