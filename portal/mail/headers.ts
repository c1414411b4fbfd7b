/** Headers of every mail: sender, and no automatic replies. */
export function headersOf(to: string, from: string) {
  return {
    from,
    // An address by itself: text would be read as a list of them.
    to: { name: '', address: to },
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  } as const;
}
