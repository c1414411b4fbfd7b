/** The error code set by the system, Node or a library, such as `ENOENT`, if any. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A host name with several addresses fails once per address.
  const all: Error[] = error instanceof AggregateError ? error.errors : [error];
  return all.map(({ message }) => message).join(', ');
}
