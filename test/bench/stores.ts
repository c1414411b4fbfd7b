import path from 'node:path';
import { startRgw } from '../support/rgw.ts';
import { copyToBucket } from './bucket-copy.ts';
import type { Built } from './built.ts';
import { contest } from './contest.ts';
import { openAccounts, startService } from './service.ts';
import { someBlocks } from './targets.ts';

const BLOCKS = 500;
const ROUNDS = 2;
/** The objects that summaries read; copying the rest would only take time. */
const READ = /^(latest\.json|manifests\/|dest-ids\/|places\/|index\/|nearest\/)/;

/**
 * Measures cold summaries, each of which reads its row, and hot ones, from a folder and from S3.
 */
export async function benchStores({ store: folderOfStore, release, folder }: Built): Promise<void> {
  const rgw = await startRgw();
  const stops: (() => Promise<unknown>)[] = [() => rgw.stop()];
  try {
    const inBucket = await copyToBucket(rgw, folderOfStore, READ);
    const blocks = (await someBlocks(release, Infinity)).sort().slice(0, BLOCKS);
    const started = async (name: string, store: string, isHot: boolean) => {
      const ledger = path.join(folder, `ledger-${name}`);
      const [key] = await openAccounts(ledger, 1);
      const env = isHot ? rgw.env : { ...rgw.env, RESPONSE_CACHE_BYTES: '0' };
      const { address, stop } = await startService(store, ledger, env);
      stops.unshift(stop);
      const asked = isHot ? blocks.slice(0, 1) : blocks;
      const targets = asked.map((geoid) => ({ path: `/v1/blocks/${geoid}/summary`, key }));
      return { address, targets };
    };
    const contestants = {
      cold_folder: await started('cold-folder', folderOfStore, false),
      cold_s3: await started('cold-s3', inBucket, false),
      hot_folder: await started('hot-folder', folderOfStore, true),
      hot_s3: await started('hot-s3', inBucket, true),
    };
    const over = [
      ['cold_s3', 'cold_folder'],
      ['hot_s3', 'hot_folder'],
    ] as const;
    await contest('stores', contestants, over, ROUNDS);
  } finally {
    for (const stop of stops) await stop();
  }
}
