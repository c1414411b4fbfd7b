/**
 * A problem that the user of the command can fix: names the file and record, and what to do. The
 * command prints only the message and exits with 1.
 */
export class BuildError extends Error {
  override readonly name: string = 'BuildError';
}

/** An address at which its server has nothing. */
export class NotFound extends BuildError {
  override readonly name = 'NotFound';
}

/** Thrown when another process has locked the store, for a limited time. */
export class StoreBusy extends BuildError {
  override readonly name = 'StoreBusy';
}

export class OutOfMemory extends BuildError {
  override readonly name = 'OutOfMemory';
}

/** Creates the error for a result that was in a store, but is not found. */
export function lost({ location }: { readonly location: string }, what: string): BuildError {
  return new BuildError(
    `${location}: ${what} was built, but its receipt or an object it names is now missing or damaged; build again, intact objects are reused`,
  );
}

const QUOTED_LENGTH = 60;

/** Quotes a value of an input for a message: on one line, and at most its beginning. */
export function quoted(value: string): string {
  const isLong = value.length > QUOTED_LENGTH;
  return JSON.stringify(isLong ? `${value.slice(0, QUOTED_LENGTH)}…` : value);
}
