/** Who may keep an answer, and for how long. */
export const CACHE_CONTROL = {
  never: 'no-store',
  /** Kept, and asked about each time: a charge may be due. */
  revalidated: 'public, no-cache',
  /** The same for everybody until the next release. */
  catalogue: 'public, max-age=300, stale-while-revalidate=86400',
  /** What can never become another. */
  immutable: 'public, max-age=31536000, immutable',
  /** The same for whoever has a key: their key is checked at every use but their own. */
  pinned: 'private, max-age=31536000, immutable',
} as const;
