import { randomUUID } from 'node:crypto';
import type { HashedKey } from './accounts.ts';
import { apiKeyPrefix, hashApiKey, mintApiKey } from './api-key.ts';

/** Creates a key, not yet stored in any ledger. */
export function newKey(label: string, createdAtMs: number): { plainKey: string; key: HashedKey } {
  const plainKey = mintApiKey();
  const key = {
    hash: hashApiKey(plainKey),
    id: randomUUID(),
    prefix: apiKeyPrefix(plainKey),
    label,
    createdAtMs,
    lastUsedAtMs: null,
    disabled: false,
    revokedAtMs: null,
  };
  return { plainKey, key };
}
