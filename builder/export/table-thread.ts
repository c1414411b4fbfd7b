import { workerData } from 'piscina';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { openManifest } from '../../shards/release/release-source.ts';
import { openStore } from '../../shards/store/open-store.ts';
import { sendingErrors } from '../threads/sent-errors.ts';
import type { TableWorld } from './table-pool.ts';
import { type TableRequest, TableWriter } from './table-writer.ts';

const { location, latest, fractions, cacheBytes } = workerData as TableWorld;
const store = await openStore(location);
const writer = new TableWriter(
  await openManifest(store, latest, new ReleaseCache(cacheBytes)),
  fractions,
);

/** The work of a thread that writes tables. */
export default sendingErrors((request: TableRequest) => writer.write(request));
