import { createHash } from 'node:crypto';
import { z } from 'zod';
import { objectRefSchema } from '../../shards/manifest.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { MINUTES, TENTHS, type TimeUnit } from '../../shards/matrix/row-codec.ts';
import { encodePoiTable } from '../../shards/pois/poi-table.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import { poiFacts } from '../destinations/destination.ts';
import type { Progress } from '../progress.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { RegionCounty } from '../receipts/region-receipt.ts';
import { type TransposedMatrix, transposeCounties } from '../transpose/transpose-counties.ts';
import { openTransposePool } from '../transpose/transpose-pool.ts';
import type { Homes } from './homes.ts';

/** Change it when the same sources come to give other bytes. */
const TRANSPOSE_VERSION = 1;

export interface TransposeContext {
  /** Ascending. */
  readonly counties: ReadonlyMap<CountyFips, RegionCounty>;
  readonly modes: number;
  readonly store: WritableStore;
  readonly receipts: Receipts;
  readonly threads: number;
  readonly memory: Bytes;
  readonly scratch: string;
  readonly progress: Progress;
}

/** `reach-to` of each county: for each of its blocks, the blocks that reach it. */
export async function transposeReach(
  context: TransposeContext,
): Promise<Map<CountyFips, ObjectRef>> {
  const { counties, store } = context;
  const matrices: TransposedMatrix[] = [];
  for (const [county, { searched }] of counties) {
    const { origins } = await Matrix.open(store, searched.objects['reach-from']);
    const sources = [...counties.values()]
      .filter(({ reach }) => reach.includes(county))
      .map((from) => from.searched.objects['reach-from']);
    matrices.push({ county, origins, sources });
  }
  return transposeWhereNew(context, 'reach-to', MINUTES, matrices);
}

/** `catchment` of each county: for each destination at home there, the blocks that reach it. */
export async function transposePois(
  context: TransposeContext,
  { destinationsOf, toldIn }: Homes,
): Promise<Map<CountyFips, ObjectRef>> {
  const matrices = [...context.counties.keys()].map((county): TransposedMatrix => {
    const destinations = destinationsOf.get(county) ?? [];
    return {
      county,
      origins: Float64Array.from(destinations, ({ destId }) => destId),
      attributes: encodePoiTable(destinations.map(poiFacts)),
      sources: [...context.counties]
        .filter(([from]) => toldIn.get(county)?.has(from))
        .map(([, { searched }]) => searched.objects.pois),
    };
  });
  return transposeWhereNew(context, 'catchment', TENTHS, matrices);
}

const receiptSchema = z.strictObject({ object: objectRefSchema });

async function transposeWhereNew(
  { modes, store, receipts, threads, memory, scratch, progress }: TransposeContext,
  kind: 'reach-to' | 'catchment',
  unit: TimeUnit,
  matrices: readonly TransposedMatrix[],
): Promise<Map<CountyFips, ObjectRef>> {
  const made = new Map<CountyFips, ObjectRef>();
  const keys = new Map(matrices.map((matrix) => [matrix, keyOf(matrix)]));
  const missing: TransposedMatrix[] = [];
  for (const [matrix, key] of keys) {
    const { county } = matrix;
    const kept = await receipts.find(`${kind}-${county}`, key, receiptSchema);
    if (kept) made.set(county, kept.object);
    else missing.push(matrix);
  }
  const stage = progress.start(kind, null, 'rows');
  const options = { kind, modes, unit, memory, scratch };
  const keep = async (matrix: TransposedMatrix, object: ObjectRef) => {
    made.set(matrix.county, object);
    await receipts.keep(`${kind}-${matrix.county}`, keys.get(matrix)!, { object });
  };
  const pool = openTransposePool(missing.length === 0 ? 1 : threads);
  try {
    await transposeCounties(store, pool, missing, options, keep, (rows) => stage.at(rows));
  } finally {
    await pool.close();
  }
  stage.finish(`${missing.length} of ${matrices.length} counties`);
  return made;
}

/** What a transposed matrix follows from. */
function keyOf({ origins, attributes, sources }: TransposedMatrix): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([TRANSPOSE_VERSION, sources]));
  hash.update(origins);
  if (attributes) hash.update(attributes);
  return hash.digest('hex');
}
