import { z } from 'zod';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { counted } from '../../shards/number-words.ts';
import { objectRefSchema } from '../../shards/release/manifest.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import { putObject } from '../publish/put-object.ts';
import type { StageContext } from '../receipts/receipts.ts';
import { inOrder } from '../threads/pool.ts';
import { type AccessRequest, accessStem, openAccessPool } from './access-pool.ts';

/** Increment when the same objects produce different bytes. */
const ACCESS_VERSION = 1;

const receiptSchema = z.strictObject({ object: objectRefSchema });

interface AccessContext extends StageContext {
  readonly threads: number;
}

/**
 * Makes the `access` objects of counties: how many of some weights and types are within reach of
 * each block, from the county's reach with the counts of the blocks there, and from its POI rows.
 * Those made before are found.
 */
export async function buildAccess(
  requests: readonly AccessRequest[],
  { store, receipts, progress, threads }: AccessContext,
): Promise<Map<CountyFips, ObjectRef>> {
  const stage = progress.start('access', requests.length, 'counties');
  const made = new Map<CountyFips, ObjectRef>();
  const keep = ({ county }: AccessRequest, object: ObjectRef) => {
    made.set(county, object);
    stage.at(made.size);
  };
  const stageOf = ({ county }: AccessRequest) => `access-${county}`;
  const missing: AccessRequest[] = [];
  for (const request of requests) {
    const kept = await receipts.find(stageOf(request), keyOf(request), receiptSchema);
    if (kept) keep(request, kept.object);
    else missing.push(request);
  }
  if (missing.length > 0) {
    const pool = openAccessPool(store, Math.min(threads, missing.length));
    try {
      await inOrder(pool, missing, async (bytes, request) => {
        const object = await putObject(store, accessStem(request.county), 'tta', bytes);
        await receipts.keep(stageOf(request), keyOf(request), { object });
        keep(request, object);
      });
    } finally {
      await pool.close();
    }
  }
  stage.finish(`${missing.length} of ${counted(made.size, 'county', 'counties')}`);
  return made;
}

function keyOf(request: AccessRequest): string {
  return hashOfJson([ACCESS_VERSION, request]);
}
