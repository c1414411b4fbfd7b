import { Matrix } from '../../shards/matrix/matrix.ts';
import { MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import { Spool } from '../../shards/store/spool.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { BlockOrdinal, CountyFips } from '../../shards/units.ts';
import { putObject } from '../publish/put-object.ts';
import type { SearchedCounty } from '../receipts/region-receipt.ts';
import type { LinkedRegion } from '../region/link-region.ts';
import type { ChunkRequest } from '../search/search-chunk.ts';
import type { SearchPool } from '../search/search-pool.ts';
import { inOrder } from '../threads/pool.ts';
import { shareArrays } from '../threads/share-arrays.ts';
import { CountyResults } from './county-results.ts';
import type { CountyScope } from './county-scope.ts';

const CHUNK_BLOCKS = 32;

/**
 * Searches from every block of a county and stores the results. A county is the unit of results,
 * since a row can then name its targets by their positions among what the county's scope holds: a
 * byte or two each, however large the release, and the same whatever else is built with it. Threads
 * search blocks in chunks; the main thread appends their rows in order, so the bytes never depend
 * on the number of threads. `scratch`: a folder to write in.
 */
export async function searchCounty(
  linked: LinkedRegion,
  scope: CountyScope,
  pool: SearchPool,
  store: WritableStore,
  scratch: string,
  onBlocks: (done: number) => void,
): Promise<SearchedCounty> {
  const { destinationCount, blockCount } = linked.searchRegion;
  const reachBlocks = blocksOf(linked, scope);
  const chunks = chunkRequests(scope, {
    windowStarts: scope.windowStarts,
    destinationOrdinals: shareArrays(ordinalsIn(scope.destinations, destinationCount)),
    blockOrdinals: shareArrays(ordinalsIn(reachBlocks, blockCount)),
  });
  const spools: Spool[] = [];
  const openSpool = (kind: string) => {
    const spool = new Spool(`${scratch}/${kind}-${scope.county}`);
    spools.push(spool);
    return spool;
  };
  try {
    const results = new CountyResults(linked, scope, reachBlocks, openSpool);
    await inOrder(pool, chunks, (result, request) => {
      results.add(result, request);
      onBlocks(request.firstRow + request.to - request.from);
    });
    return await results.put(store);
  } finally {
    for (const spool of spools) spool.close();
  }
}

/**
 * Gives a county that was searched other facts of the same POIs; the rows of times stay as they
 * are. `scratch`: a folder to write in.
 */
export async function withFacts(
  searched: SearchedCounty,
  county: CountyFips,
  attributes: Uint8Array,
  store: WritableStore,
  scratch: string,
): Promise<SearchedCounty> {
  const { pois } = searched.objects;
  const old = await Matrix.open(store, pois);
  const { origins, targets, modes, bases, unit } = old;
  const spool = new Spool(`${scratch}/pois-${county}`);
  try {
    const stem = `pois/${county}`;
    const written = new MatrixWriter(
      stem,
      { origins, targets, attributes, modes, bases, unit },
      spool,
    );
    for await (const rows of old.runs()) written.append(rows);
    const object = await putObject(store, stem, 'tta', written.finish());
    return { ...searched, objects: { ...searched.objects, pois: object } };
  } finally {
    spool.close();
  }
}

/** Returns the ordinals in the region of the target blocks of a county, ascending. */
function blocksOf({ region, blocks }: LinkedRegion, { reach }: CountyScope): BlockOrdinal[] {
  const all: BlockOrdinal[] = [];
  let first = 0;
  for (const [county, list] of region.targets) {
    if (reach.includes(county)) for (let i = 0; i < list.length; i++) all.push(first + i);
    first += list.length;
  }
  if (first !== blocks.length) throw new Error('counties and blocks differ');
  return all;
}

/** Returns, for each of `count` ordinals, its position in the ascending list `chosen`, or -1. */
function ordinalsIn(chosen: ArrayLike<number>, count: number): Int32Array {
  const ordinals = new Int32Array(count).fill(-1);
  for (let i = 0; i < chosen.length; i++) ordinals[chosen[i]] = i;
  return ordinals;
}

function* chunkRequests(
  { county, firstBlock, endBlock }: CountyScope,
  common: Pick<ChunkRequest, 'windowStarts' | 'destinationOrdinals' | 'blockOrdinals'>,
): Generator<ChunkRequest> {
  for (let from = firstBlock; from < endBlock; from += CHUNK_BLOCKS) {
    const to = Math.min(from + CHUNK_BLOCKS, endBlock);
    yield { ...common, county, from, to, firstRow: from - firstBlock };
  }
}
