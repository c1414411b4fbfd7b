import { exportTable } from '../../../builder/export/publish-exports.ts';
import { ReleaseCache } from '../../../shards/release/release-cache.ts';
import { openManifest } from '../../../shards/release/release-source.ts';
import type { Bytes } from '../../../shards/units.ts';
import type { QueuedTable } from '../queued-job.ts';
import type { ThreadContext } from './thread-context.ts';

/** Memory for the cache of a release while a table of it is exported. */
const CACHE_BYTES: Bytes = 2 ** 28;

/** Exports a table of a release. */
export async function runTable(
  { latest, table }: QueuedTable,
  { store, progress }: ThreadContext,
): Promise<void> {
  const release = await openManifest(store, latest, new ReleaseCache(CACHE_BYTES));
  await exportTable(release, table, store, progress);
}
