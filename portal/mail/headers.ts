/** What heads every mail: whose it is, and that no machine need answer it. */
export function headersOf(to: string, from: string) {
  return {
    from,
    // An address by itself: text would be read as a list of them.
    to: { name: '', address: to },
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  } as const;
}
