import { randomUUID } from 'node:crypto';
import type { StoredKey } from './accounts.ts';
import { apiKeyPrefix, hashApiKey, mintApiKey } from './api-key.ts';
import type { KeyHash } from './key-hash.ts';

/** Creates a key, not yet stored in any ledger. */
export function newKey(
  label: string,
  createdAtMs: number,
): { plainKey: string; hash: KeyHash; key: StoredKey } {
  const plainKey = mintApiKey();
  const key = {
    id: randomUUID(),
    prefix: apiKeyPrefix(plainKey),
    label,
    createdAtMs,
    disabled: false,
    revokedAtMs: null,
  };
  return { plainKey, hash: hashApiKey(plainKey), key };
}
