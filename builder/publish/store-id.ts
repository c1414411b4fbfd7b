import { randomBytes } from 'node:crypto';
import { nullIfMissing, StoreError } from '../../shards/errors.ts';
import type { WritableStore } from '../../shards/store/store.ts';

/** Name of the object with the id of a store, which no other store has. */
export const STORE_ID = '.store-id';
const FORM = /^[0-9a-f]{16}$/;

/**
 * Returns the id of a store, created on first use: the same for all that open the store, whatever
 * they call its location.
 */
export async function storeId(store: WritableStore): Promise<string> {
  for (;;) {
    const there = await nullIfMissing(store.readWhole(STORE_ID));
    const id = there && Buffer.from(there.bytes).toString();
    if (id !== null && FORM.test(id)) return id;
    const made = randomBytes(8);
    try {
      await store.putConditional(
        STORE_ID,
        Buffer.from(made.toString('hex')),
        there?.identity ?? null,
      );
    } catch (error) {
      // Another process is writing one.
      if (!(error instanceof StoreError && error.failure === 'conflict')) throw error;
    }
  }
}
