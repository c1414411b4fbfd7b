/**
 * A problem that the user of the command can fix: names the file and record, and what to do. The
 * command prints only the message and exits with 1.
 */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}
