/** The code that the system, Node or a library gave an error, such as `ENOENT`, if one did. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Extracts a message from anything thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses fails once for each of them.
  const all: Error[] = error instanceof AggregateError ? error.errors : [error];
  return all.map(({ message }) => message).join(', ');
}
