import type { Ledger } from './ledger.ts';
import { openLmdbLedger } from './lmdb/lmdb-ledger.ts';

/** Opens a ledger by its address: `lmdb:DIR`. Throws a `TypeError` for the rest. */
export function openLedger(
  address: string,
  options: { readonly rateLimitPerMinute: number },
): Promise<Ledger> {
  const directory = /^lmdb:(.+)$/.exec(address)?.[1];
  if (!directory) throw new TypeError(`${address}: a ledger is given as lmdb:DIR`);
  return openLmdbLedger(directory, options);
}
