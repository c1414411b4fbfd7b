// Limits on keys, shared by ledgers, portal and pages.

/** Keys per account. A disabled key counts. */
export const MAX_ACTIVE_KEYS = 3;
/** In characters, regardless of their encoded size. */
export const MAX_LABEL = 100;
