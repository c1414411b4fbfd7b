// What the ledgers, the portal and its pages say alike of keys.

/** Of an account. A disabled key takes up its place. */
export const MAX_ACTIVE_KEYS = 3;
/** Characters, whatever they take up. */
export const MAX_LABEL = 100;
