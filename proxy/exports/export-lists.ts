import { LRUCache } from 'lru-cache';
import { readServedExports, type ServedExport } from '../../shards/release/served-exports.ts';
import type { Store } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';

/** How long a list is kept: tables may be exported while their release is in force. */
const KEPT_MS: Millis = 60_000;
/** Links to exports of earlier releases work until they expire. */
const KEPT_RELEASES = 8;

/** The lists of exports of the releases in a store, by manifest. */
export class ExportLists {
  readonly #lists: LRUCache<string, readonly ServedExport[], Store>;

  constructor() {
    this.#lists = new LRUCache({
      max: KEPT_RELEASES,
      ttl: KEPT_MS,
      fetchMethod: (manifest, _, { context }) => readServedExports(context, manifest),
    });
  }

  async of(store: Store, manifest: string): Promise<readonly ServedExport[]> {
    return (await this.#lists.fetch(manifest, { context: store })) ?? [];
  }
}
