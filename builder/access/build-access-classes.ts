import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ClassedCount } from '../../shards/access/access-class-layout.ts';
import { classOf, encodeAccessClasses } from '../../shards/access/access-classes.ts';
import { type AccessContents, accessCountsOf } from '../../shards/access/access-columns.ts';
import { UNROUTED } from '../../shards/bands/time-bands.ts';
import { BlockIndex, linkModeOf } from '../../shards/blocks/block-index.ts';
import { counted } from '../../shards/number-words.ts';
import {
  countyFipsSchema,
  type TileArchive,
  tileArchiveSchema,
} from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import { WeightTable } from '../../shards/weights/weight-table.ts';
import type { Progress } from '../progress.ts';
import { putArchive } from '../publish/put-archive.ts';
import type { Receipts } from '../receipts/receipts.ts';
import { BUCKETS, boundsOf, bucketOf } from './class-bounds.ts';

/** Increment when the same objects produce different bytes. */
const ACCESS_CLASSES_VERSION = 1;

const receiptSchema = z.record(countyFipsSchema, tileArchiveSchema);

/** The counts of a release within reach of the blocks of its counties. */
interface ClassesRequest extends AccessContents {
  readonly counties: ReadonlyMap<CountyFips, CountedObjects>;
}

interface CountedObjects {
  readonly index: ObjectRef;
  readonly access: ObjectRef;
}

/**
 * Makes the access classes of each county, with bounds that are those of the whole release, unless
 * they were made before. Reads each county twice, so only one is in memory at a time.
 */
export async function buildAccessClasses(
  { modes, directions, access, counties }: ClassesRequest,
  { store, receipts, progress }: { store: WritableStore; receipts: Receipts; progress: Progress },
): Promise<Readonly<Record<CountyFips, TileArchive>>> {
  const what = [ACCESS_CLASSES_VERSION, modes, directions, access, [...counties]];
  const key = createHash('sha256').update(JSON.stringify(what)).digest('hex');
  return receipts.findOrMake('access-classes', key, receiptSchema, async () => {
    const stage = progress.start('access classes', 2 * counties.size, 'readings');
    const counts = accessCountsOf({ access, directions, modes });
    const blocks = counts.map(() => new Uint32Array(BUCKETS));
    let read = 0;
    for (const county of counties.values()) {
      await eachColumn(store, county, counts, (column, isRouted, i) => {
        for (let block = 0; block < column.length; block++) {
          if (isRouted[block] === 1) blocks[i][bucketOf(column[block])]++;
        }
      });
      stage.at(++read);
    }
    const classed = counts.map((one, i): ClassedCount => ({ ...one, bounds: boundsOf(blocks[i]) }));
    const made: Record<CountyFips, TileArchive> = {};
    for (const [fips, county] of counties) {
      const columns: Uint8Array[] = [];
      await eachColumn(store, county, counts, (column, isRouted, i) => {
        const { bounds } = classed[i];
        columns.push(
          Uint8Array.from(column, (count, block) =>
            isRouted[block] === 1 ? classOf(count, bounds) : UNROUTED,
          ),
        );
      });
      const bytes = await encodeAccessClasses(fips, classed, columns);
      made[fips] = await putArchive(store, `tiles/access-classes-${fips}`, 'bands', bytes);
      stage.at(++read);
    }
    const bytes = Object.values(made).reduce((sum, { archive }) => sum + archive.bytes, 0);
    stage.finish(counted(bytes, 'byte'));
    return made;
  });
}

/**
 * Calls `take` for each count of a county, in order: the counts by block, whether the mode could be
 * routed from each block (1) or not (0), and the position of the count.
 */
async function eachColumn(
  store: Store,
  { index: indexRef, access }: CountedObjects,
  counts: ReturnType<typeof accessCountsOf>,
  take: (column: Uint32Array, isRouted: Uint8Array, position: number) => void,
): Promise<void> {
  const index = BlockIndex.decode(indexRef.name, await readVerified(store, indexRef));
  const table = await WeightTable.open(store, access);
  const columns = await table.countsOf(0, counts.length);
  const routedBy = (street: ReturnType<typeof linkModeOf>) =>
    Uint8Array.from(index.geoids, (_, block) => (index.isLinked(block, street) ? 1 : 0));
  const routed = new Map(
    [...new Set(counts.map(({ mode }) => linkModeOf(mode)))].map((one) => [one, routedBy(one)]),
  );
  for (const [i, { mode }] of counts.entries()) take(columns[i], routed.get(linkModeOf(mode))!, i);
}
