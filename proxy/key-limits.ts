// Limits on keys, shared by ledgers, portal and pages.

/** Maximum number of active keys per account. A disabled key counts. */
export const MAX_ACTIVE_KEYS = 3;
/** Maximum length of a label in characters, regardless of their encoded size. */
export const MAX_LABEL = 100;
