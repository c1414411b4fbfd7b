import type { Store } from '../../shards/store/store.ts';

/** Uses a store, and closes it afterwards. */
export async function whileOpen<S extends Store, T>(
  opening: Promise<S>,
  use: (store: S) => Promise<T>,
): Promise<T> {
  const store = await opening;
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
