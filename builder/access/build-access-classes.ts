import { z } from 'zod';
import type { ClassedCount } from '../../shards/access/access-class-layout.ts';
import { classOf, encodeAccessClasses } from '../../shards/access/access-classes.ts';
import { type AccessContents, accessCountsOf } from '../../shards/access/access-columns.ts';
import { UNROUTED } from '../../shards/bands/time-bands.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { linkModeOf } from '../../shards/modes.ts';
import { counted } from '../../shards/number-words.ts';
import {
  countyFipsSchema,
  type TileArchive,
  tileArchiveSchema,
} from '../../shards/release/manifest.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import { WeightTable } from '../../shards/weights/weight-table.ts';
import { putArchive, putJson, readJson } from '../publish/put-object.ts';
import type { ReceiptOf, Receipts, StageContext } from '../receipts/receipts.ts';
import { BUCKETS, boundsOf, bucketOf } from './class-bounds.ts';

/** Increment when the same objects produce different bytes. */
const ACCESS_CLASSES_VERSION = 1;

const receiptSchema = z.record(countyFipsSchema, tileArchiveSchema);

/** Some counties of a release, and what is counted within reach of their blocks. */
interface CountedCounties extends AccessContents {
  readonly counties: ReadonlyMap<CountyFips, CountedObjects>;
}

interface CountedObjects {
  readonly index: ObjectRef;
  readonly access: ObjectRef;
}

export interface ClassesRequest extends CountedCounties {
  /** Results of `putBuckets` that cover all counties of the release. */
  readonly buckets: readonly ObjectRef[];
}

/**
 * Stores how many blocks of some counties have a count in each bucket, by count: a few thousand
 * numbers, from which the quantiles of a whole release follow without its counts.
 */
export async function putBuckets(
  store: WritableStore,
  stem: string,
  counties: CountedCounties,
): Promise<ObjectRef> {
  const counts = accessCountsOf(counties);
  const blocks = counts.map(() => new Uint32Array(BUCKETS));
  for (const county of counties.counties.values()) {
    await eachColumn(store, county, counts, (column, isRouted, i) => {
      for (let block = 0; block < column.length; block++) {
        if (isRouted[block] === 1) blocks[i][bucketOf(column[block])]++;
      }
    });
  }
  return putJson(
    store,
    stem,
    blocks.map((ofCount) => [...ofCount]),
  );
}

/** Adds up what `putBuckets` has stored. */
async function readBuckets(store: Store, refs: readonly ObjectRef[]): Promise<Float64Array[]> {
  const sums: Float64Array[] = [];
  for (const ref of refs) {
    for (const [i, ofCount] of (await readJson<number[][]>(store, ref)).entries()) {
      sums[i] ??= new Float64Array(BUCKETS);
      for (let bucket = 0; bucket < BUCKETS; bucket++) sums[i][bucket] += ofCount[bucket];
    }
  }
  return sums;
}

function classesReceipt(request: ClassesRequest): ReceiptOf<typeof receiptSchema> {
  const { modes, directions, access, counties, buckets } = request;
  const what = [ACCESS_CLASSES_VERSION, modes, directions, access, [...counties], buckets];
  return [`access-classes-${[...counties.keys()][0]}`, hashOfJson(what), receiptSchema];
}

/** Reads the classes that tasks of this build have made; null if the receipt of one is missing. */
export async function readAccessClasses(
  requests: readonly ClassesRequest[],
  receipts: Receipts,
): Promise<Readonly<Record<CountyFips, TileArchive>> | null> {
  const all: Record<CountyFips, TileArchive> = {};
  for (const request of requests) {
    const own = await receipts.read(...classesReceipt(request));
    if (own === null) return null;
    Object.assign(all, own);
  }
  return all;
}

/**
 * Makes the access classes of some counties, with bounds that are those of the whole release,
 * unless they were made before. One county is in memory at a time.
 */
export async function makeAccessClasses(
  request: ClassesRequest,
  { store, receipts, progress }: StageContext,
): Promise<void> {
  await receipts.findOrMake(...classesReceipt(request), async () => {
    const stage = progress.start('access classes', request.counties.size, 'counties');
    const counts = accessCountsOf(request);
    const blocks = await readBuckets(store, request.buckets);
    const classed = counts.map((one, i): ClassedCount => ({ ...one, bounds: boundsOf(blocks[i]) }));
    const made: Record<CountyFips, TileArchive> = {};
    let bytes = 0;
    for (const [fips, county] of request.counties) {
      const columns: Uint8Array[] = [];
      await eachColumn(store, county, counts, (column, isRouted, i) => {
        const { bounds } = classed[i];
        columns.push(
          Uint8Array.from(column, (count, block) =>
            isRouted[block] === 1 ? classOf(count, bounds) : UNROUTED,
          ),
        );
      });
      const encoded = await encodeAccessClasses(fips, classed, columns);
      made[fips] = await putArchive(store, `tiles/access-classes-${fips}`, 'bands', encoded);
      bytes += encoded.length;
      stage.at(Object.keys(made).length);
    }
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
  const index = await BlockIndex.read(store, indexRef);
  const table = await WeightTable.open(store, access);
  const columns = await table.countsOf(0, counts.length);
  const routedBy = (street: ReturnType<typeof linkModeOf>) =>
    Uint8Array.from(index.geoids, (_, block) => (index.isLinked(block, street) ? 1 : 0));
  const routed = new Map(
    [...new Set(counts.map(({ mode }) => linkModeOf(mode)))].map((one) => [one, routedBy(one)]),
  );
  for (const [i, { mode }] of counts.entries()) take(columns[i], routed.get(linkModeOf(mode))!, i);
}
