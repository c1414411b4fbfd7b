import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { MINUTES, type ModeBases, TENTHS, type TimeUnit } from '../../shards/matrix/row-codec.ts';
import { counted } from '../../shards/number-words.ts';
import { encodePoiTable } from '../../shards/pois/poi-table.ts';
import { objectRefSchema } from '../../shards/release/manifest.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { Bytes, CountyFips } from '../../shards/units.ts';
import { poiFacts } from '../destinations/destination.ts';
import type { StageContext } from '../receipts/receipts.ts';
import { type TransposedMatrix, transposeCounties } from '../transpose/transpose-counties.ts';
import { openTransposePool } from '../transpose/transpose-pool.ts';
import type { Home } from './home-counties.ts';
import type { Counties } from './join-regions.ts';

/** Increment when the same sources produce different bytes. */
const TRANSPOSE_VERSION = 1;

interface TransposeContext extends StageContext {
  /** The counties of the release, ascending. */
  readonly counties: Counties;
  readonly modes: number;
  readonly bases: ModeBases;
  readonly threads: number;
  readonly memory: Bytes;
  readonly scratch: string;
}

/** Creates `reach-to` for some counties: per block of the county, the blocks that reach it. */
export async function transposeReach(
  context: TransposeContext,
  own: readonly CountyFips[],
): Promise<Map<CountyFips, ObjectRef>> {
  const { counties, store } = context;
  const matrices: TransposedMatrix[] = [];
  for (const county of own) {
    const { origins } = await Matrix.open(
      store,
      counties.get(county)!.searched.objects['reach-from'],
    );
    const sources = [...counties.values()]
      .filter(({ reach }) => reach.includes(county))
      .map(({ searched }) => searched.objects['reach-from']);
    matrices.push({ county, origins, sources });
  }
  return transposeWhereNew(context, 'reach-to', MINUTES, matrices);
}

/**
 * Creates `catchment` for some counties: per destination at home there, the blocks that reach it.
 */
export function transposePois(
  context: TransposeContext,
  own: ReadonlyMap<CountyFips, Home>,
): Promise<Map<CountyFips, ObjectRef>> {
  const matrices = Array.from(own, ([county, { facts, reachedFrom }]) => ({
    county,
    origins: Float64Array.from(facts, ({ destId }) => destId),
    attributes: encodePoiTable(facts.map(poiFacts)),
    sources: reachedFrom.map((from) => context.counties.get(from)!.searched.objects.pois),
  }));
  return transposeWhereNew(context, 'catchment', TENTHS, matrices);
}

const receiptSchema = z.strictObject({ object: objectRefSchema });

async function transposeWhereNew(
  { modes, bases, store, receipts, threads, memory, scratch, progress }: TransposeContext,
  kind: 'reach-to' | 'catchment',
  unit: TimeUnit,
  matrices: readonly TransposedMatrix[],
): Promise<Map<CountyFips, ObjectRef>> {
  const made = new Map<CountyFips, ObjectRef>();
  const stage = progress.start(kind, null, 'rows');
  const keyed = new Map<TransposedMatrix, string>();
  for (const matrix of matrices) {
    const key = keyOf(matrix);
    const kept = await receipts.find(`${kind}-${matrix.county}`, key, receiptSchema);
    if (kept) made.set(matrix.county, kept.object);
    else keyed.set(matrix, key);
  }
  const keep = async (matrix: TransposedMatrix, object: ObjectRef) => {
    made.set(matrix.county, object);
    await receipts.keep(`${kind}-${matrix.county}`, keyed.get(matrix)!, { object });
  };
  if (keyed.size > 0) {
    const pool = openTransposePool(threads);
    const options = { kind, modes, bases, unit, memory, scratch };
    try {
      await transposeCounties(store, pool, [...keyed.keys()], options, keep, stage.at);
    } finally {
      await pool.close();
    }
  }
  stage.finish(`${keyed.size} of ${counted(matrices.length, 'county', 'counties')}`);
  return made;
}

function keyOf({ origins, attributes, sources }: TransposedMatrix): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([TRANSPOSE_VERSION, sources]));
  hash.update(origins);
  if (attributes) hash.update(attributes);
  return hash.digest('hex');
}
