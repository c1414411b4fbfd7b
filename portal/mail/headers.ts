/** Headers of every mail: sender, and no automatic replies. */
export function headersOf(to: string, from: string) {
  return {
    from,
    // As an object: a plain text would be parsed as a list of addresses.
    to: { name: '', address: to },
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  } as const;
}
