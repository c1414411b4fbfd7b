declare const brand: unique symbol;
/** SHA-256 of a plain key, base64url. The only form in which a key is stored. */
export type KeyHash = string & { readonly [brand]?: 'key hash' };
