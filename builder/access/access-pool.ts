import {
  ACCESS_MINUTES,
  accessColumn,
  accessCountsOf,
  countedType,
} from '../../shards/access/access-columns.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { PoiTable } from '../../shards/pois/poi-table.ts';
import type { Direction } from '../../shards/release/manifest.ts';
import { openStore } from '../../shards/store/open-store.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { CountyFips, DestTypeId } from '../../shards/units.ts';
import { type CountedBlocks, countsByTarget } from '../../shards/weights/counts-by-target.ts';
import { PEOPLE } from '../../shards/weights/weight.ts';
import { encodeWeights, WeightTable } from '../../shards/weights/weight-table.ts';
import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { countAccess, countPois } from './count-access.ts';

interface CountedCounty {
  readonly index: ObjectRef;
  /** Absent in a release whose only weight is people. */
  readonly weights?: ObjectRef;
}

export interface AccessRequest {
  readonly county: CountyFips;
  readonly modes: readonly string[];
  /** The weights to count, then the types. */
  readonly access: readonly string[];
  readonly reach: readonly (readonly [Direction, ObjectRef])[];
  /** The counties of the release that the rows of these matrices name. */
  readonly counties: Readonly<Record<CountyFips, CountedCounty>>;
  /** Absent without types to count: the county's rows of POIs, and the leaves of each type. */
  readonly pois?: ObjectRef;
  readonly types?: readonly (readonly DestTypeId[])[];
}

type AccessPool = Pool<AccessRequest, Uint8Array>;

export async function openWork(location: string) {
  const store = await openStore(location);
  return (request: AccessRequest) => encodeAccess(store, request);
}

/**
 * Opens a pool of threads. A single thread is the current one. More threads open the store
 * themselves, and run compiled code: when running from source, request one.
 */
export function openAccessPool(store: Store, threads: number): AccessPool {
  return threads > 1
    ? openThreads(new URL('./access-pool.js', import.meta.url), threads, store.location)
    : thisThread((request) => encodeAccess(store, request));
}

export function accessStem(county: CountyFips): string {
  return `access/${county}`;
}

async function encodeAccess(
  store: Store,
  { county, modes, access, reach, counties, pois, types = [] }: AccessRequest,
): Promise<Uint8Array> {
  const weights = access.filter((of) => countedType(of) === null);
  /** Counts by direction, then by weight, mode and minutes. */
  const counts: Uint32Array[][] = [];
  for (const [, ref] of weights.length > 0 ? reach : []) {
    const matrix = await Matrix.open(store, ref);
    const byTarget = await countsByTarget(matrix.targets, weights.length, async (fips) =>
      Object.hasOwn(counties, fips) ? countsOf(store, counties[fips], weights) : null,
    );
    counts.push(await countAccess(matrix, byTarget));
  }
  const directions = reach.map(([direction]) => direction);
  const perWeight = modes.length * ACCESS_MINUTES.length;
  const inOrder = weights.flatMap((_, w) =>
    counts.flatMap((one) => one.slice(w * perWeight, (w + 1) * perWeight)),
  );
  if (pois) {
    const matrix = await Matrix.open(store, pois);
    const table = PoiTable.fromBytes(pois.name, matrix.attributes);
    inOrder.push(...(await countPois(matrix, table, types)));
  }
  const columns = accessCountsOf({ access, directions, modes }).map((count, i) => {
    return { weight: accessColumn(count), counts: inOrder[i] };
  });
  return encodeWeights(accessStem(county), inOrder[0].length, columns);
}

async function countsOf(
  store: Store,
  { index, weights }: CountedCounty,
  names: readonly string[],
): Promise<CountedBlocks> {
  const blocks = await BlockIndex.read(store, index);
  const table = weights && (await WeightTable.open(store, weights));
  const columns: Uint32Array[] = [];
  for (const name of names) {
    columns.push(
      name === PEOPLE.weight ? blocks.people() : await table!.counts(table!.names.indexOf(name)),
    );
  }
  return { geoids: blocks.geoids, columns };
}
