import { createHash } from 'node:crypto';
import { z } from 'zod';
import { addTo } from '../../shards/arrays/group-by.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { MINUTES, TENTHS, type TimeUnit } from '../../shards/matrix/row-codec.ts';
import { counted } from '../../shards/number-words.ts';
import { encodePoiTable } from '../../shards/pois/poi-table.ts';
import { objectRefSchema } from '../../shards/release/manifest.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import { type DestinationFacts, poiFacts } from '../destinations/destination.ts';
import type { Progress } from '../progress.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { RegionCounty } from '../receipts/region-receipt.ts';
import { type TransposedMatrix, transposeCounties } from '../transpose/transpose-counties.ts';
import { openTransposePool, type TransposePool } from '../transpose/transpose-pool.ts';
import type { HomeCounties } from './home-counties.ts';

/** Increment when the same sources produce different bytes. */
const TRANSPOSE_VERSION = 1;

interface TransposeContext {
  /** The counties of the release, ascending. */
  readonly counties: ReadonlyMap<CountyFips, RegionCounty>;
  /** The counties in batches that fit into memory; each batch is finished before the next. */
  readonly batches: readonly (readonly CountyFips[])[];
  readonly modes: number;
  readonly store: WritableStore;
  readonly receipts: Receipts;
  readonly threads: number;
  readonly memory: Bytes;
  readonly scratch: string;
  readonly progress: Progress;
}

/** Creates `reach-to` for each county: per block of the county, the blocks that reach it. */
export function transposeReach(context: TransposeContext): Promise<Map<CountyFips, ObjectRef>> {
  const { counties, store } = context;
  const reachedFrom = new Map<CountyFips, ObjectRef[]>();
  for (const { reach, searched } of counties.values()) {
    for (const county of reach) {
      addTo(reachedFrom, county, searched.objects['reach-from']);
    }
  }
  return transposeWhereNew(context, 'reach-to', MINUTES, async () => async (county) => {
    const own = counties.get(county)!.searched.objects['reach-from'];
    const { origins } = await Matrix.open(store, own);
    return { county, origins, sources: reachedFrom.get(county) ?? [] };
  });
}

/**
 * Creates `catchment` for each county: per destination at home there, the blocks that reach it.
 * `destinationsOf` returns the destinations at home in the counties of a batch.
 */
export function transposePois(
  context: TransposeContext,
  countiesReaching: HomeCounties['countiesReaching'],
  destinationsOf: (
    batch: readonly CountyFips[],
  ) => Promise<ReadonlyMap<CountyFips, readonly DestinationFacts[]>>,
): Promise<Map<CountyFips, ObjectRef>> {
  return transposeWhereNew(context, 'catchment', TENTHS, async (batch) => {
    const byCounty = await destinationsOf(batch);
    return async (county) => {
      const destinations = byCounty.get(county) ?? [];
      return {
        county,
        origins: Float64Array.from(destinations, ({ destId }) => destId),
        attributes: encodePoiTable(destinations.map(poiFacts)),
        sources: Array.from(
          countiesReaching.get(county) ?? [],
          (from) => context.counties.get(from)!.searched.objects.pois,
        ),
      };
    };
  });
}

const receiptSchema = z.strictObject({ object: objectRefSchema });

async function transposeWhereNew(
  context: TransposeContext,
  kind: 'reach-to' | 'catchment',
  unit: TimeUnit,
  begin: (
    batch: readonly CountyFips[],
  ) => Promise<(county: CountyFips) => Promise<TransposedMatrix>>,
): Promise<Map<CountyFips, ObjectRef>> {
  const { counties, batches, modes, store, receipts, threads, memory, scratch } = context;
  const made = new Map<CountyFips, ObjectRef>();
  const stage = context.progress.start(kind, null, 'rows');
  const options = { kind, modes, unit, memory, scratch };
  let pool: TransposePool | null = null;
  let missing = 0;
  let rowsBefore = 0;
  try {
    for (const batch of batches) {
      const matrixOf = await begin(batch);
      const keyed = new Map<TransposedMatrix, string>();
      for (const county of batch) {
        const matrix = await matrixOf(county);
        const key = keyOf(matrix);
        const kept = await receipts.find(`${kind}-${county}`, key, receiptSchema);
        if (kept) made.set(county, kept.object);
        else keyed.set(matrix, key);
      }
      if (keyed.size === 0) continue;
      missing += keyed.size;
      const keep = async (matrix: TransposedMatrix, object: ObjectRef) => {
        made.set(matrix.county, object);
        await receipts.keep(`${kind}-${matrix.county}`, keyed.get(matrix)!, { object });
      };
      pool ??= openTransposePool(threads);
      let rows = 0;
      await transposeCounties(store, pool, [...keyed.keys()], options, keep, (done) => {
        rows = done;
        stage.at(rowsBefore + done);
      });
      rowsBefore += rows;
    }
  } finally {
    await pool?.close();
  }
  stage.finish(`${missing} of ${counted(counties.size, 'county', 'counties')}`);
  return made;
}

/** Computes the key of a transposed matrix from its inputs. */
function keyOf({ origins, attributes, sources }: TransposedMatrix): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([TRANSPOSE_VERSION, sources]));
  hash.update(origins);
  if (attributes) hash.update(attributes);
  return hash.digest('hex');
}
