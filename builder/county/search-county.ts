import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { boxOf, edgesOf } from '../../shards/geometry/wgs84.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import { MINUTES, TENTHS } from '../../shards/matrix/row-codec.ts';
import { linkModesOf } from '../../shards/modes.ts';
import { encodeNearest } from '../../shards/nearest/nearest.ts';
import { nthNearestIds } from '../../shards/nearest/nth-nearest.ts';
import { encodePoiTable } from '../../shards/pois/poi-table.ts';
import { Spool } from '../../shards/store/spool.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import { TransitWriter } from '../../shards/transit/transit-writer.ts';
import { type BlockOrdinal, type CountyFips, toMicro } from '../../shards/units.ts';
import type { CensusBlock } from '../census/blocks.ts';
import { poiFacts } from '../destinations/destination.ts';
import { putObject } from '../publish/put-object.ts';
import type { SearchedCounty } from '../receipts/region-receipt.ts';
import { isLinked, type LinkedRegion } from '../region/link-region.ts';
import type { ChunkRequest } from '../search/search-chunk.ts';
import type { SearchPool } from '../search/search-pool.ts';
import { inOrder } from '../threads/pool.ts';
import { shareArrays } from '../threads/share-arrays.ts';
import type { CountyScope } from './county-scope.ts';
import { TransitOfCounty } from './county-transit.ts';
import { NthColumns } from './nth-columns.ts';

/** Blocks a thread searches at a time. */
const CHUNK_BLOCKS = 32;
/** Rows of walks from stops that are written in one turn of the event loop. */
const ROWS_PER_TURN = 1_024;
/** Rows of times that are copied at a time: megabytes in a metropolis. */
const ROWS_PER_READ = 256;

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
  const { region, searchRegion, blocks } = linked;
  const { county, firstBlock, endBlock, windowStarts } = scope;
  const own = region.counties.get(county)!;
  const origins = own.map(({ geoid }) => geoid);
  const destinations = Array.from(scope.destinations, (one) => region.destinations[one]);
  const reachBlocks = blocksOf(linked, scope);
  const modes = linked.modes.length;
  const { bases } = searchRegion;
  const poiSpool = new Spool(`${scratch}/pois-${county}`);
  const reachSpool = new Spool(`${scratch}/reach-${county}`);
  const nthSpool = new Spool(`${scratch}/nth-nearest-${county}`);
  const transitSpool = new Spool(`${scratch}/transit-${county}`);
  const stepFreeSpool = new Spool(`${scratch}/transit-step-free-${county}`);
  try {
    const pois = new MatrixWriter(
      `pois/${county}`,
      {
        origins,
        targets: destinations.map(({ destId }) => destId),
        attributes: factsInScope(linked, scope),
        modes,
        bases,
        unit: TENTHS,
      },
      poiSpool,
    );
    const targets = reachBlocks.map((block) => blocks[block].geoid);
    const reach = new MatrixWriter(
      `reach-from/${county}`,
      { origins, targets, modes, bases, unit: MINUTES },
      reachSpool,
    );
    const columns = modes * searchRegion.leafCount;
    const nearest = new Uint16Array(own.length * columns);
    const nth = new NthColumns({ blocks: own.length, modes, types: searchRegion.typeCount });
    const counts = {
      origins: own.length,
      blocks: reachBlocks.length,
      pois: destinations.length,
    };
    const written = [
      writtenTransit(linked, scope, 'transits', counts, transitSpool),
      writtenTransit(linked, scope, 'stepFreeTransits', counts, stepFreeSpool),
    ];
    let [poiRows, reachRows] = [0, 0];
    const chunks = chunkRequests(scope, {
      windowStarts,
      destinationOrdinals: shareArrays(
        ordinalsIn(scope.destinations, searchRegion.destinationCount),
      ),
      blockOrdinals: shareArrays(ordinalsIn(reachBlocks, searchRegion.blockCount)),
    });
    await inOrder(pool, chunks, (result, request) => {
      pois.append(result.pois);
      reach.append(result.reach);
      nearest.set(result.nearest, request.firstRow * columns);
      nth.add(request.firstRow, result.nth);
      for (const [i, access] of [result.access, result.stepFreeAccess].entries()) {
        const one = written[i];
        if (one && access) for (const walks of one.transit.access(access)) one.writer.row(walks);
      }
      poiRows += result.poiRows;
      reachRows += result.reachRows;
      onBlocks(request.firstRow + request.to - request.from);
    });
    const { destinationCount } = searchRegion;
    const ends = [...reachBlocks.map((block) => destinationCount + block), ...scope.destinations];
    for (const one of written) {
      if (one === null) continue;
      for (const [i, target] of ends.entries()) {
        one.writer.row(one.transit.egress(target));
        // In a large county this takes many seconds, during which timers must renew the build's
        // lock.
        if (i % ROWS_PER_TURN === 0) await turnOfLoop();
      }
    }
    const types = nthNearestIds(linked.taxonomy);
    const nthNearest = new MatrixWriter(
      `nth-nearest/${county}`,
      { origins: types, targets: origins, modes, bases, unit: TENTHS },
      nthSpool,
    );
    nth.writeTo(nthNearest);
    const [transit, stepFree] = written;
    const links = linked.links.slice(firstBlock, endBlock);
    const put = (kind: string, extension: string, object: Parameters<typeof putObject>[3]) =>
      putObject(store, `${kind}/${county}`, extension, object);
    return {
      blocks: own.length,
      population: own.reduce((sum, { population }) => sum + (population ?? 0), 0),
      routable_blocks: links.filter(isLinked).length,
      block_box: edgesOf(boxOf(own.flatMap(shellPoints))),
      poi_rows: poiRows,
      reach_rows: reachRows,
      objects: {
        index: await put(
          'index',
          'tta',
          BlockIndex.encode(
            own.map((block, i) => record(block, links[i])),
            linkModesOf(linked.modes),
          ),
        ),
        nearest: await put('nearest', 'tta', encodeNearest(`nearest/${county}`, nearest, columns)),
        'nth-nearest': await put('nth-nearest', 'tta', nthNearest.finish()),
        pois: await put('pois', 'tta', pois.finish()),
        'reach-from': await put('reach-from', 'tta', reach.finish()),
        ...(transit && { transit: await put('transit', 'tta', transit.writer.finish()) }),
        ...(stepFree && {
          'transit-step-free': await put('transit-step-free', 'tta', stepFree.writer.finish()),
        }),
        blocks: await put('blocks', 'fgb', blockPolygons(county, own)),
      },
    };
  } finally {
    poiSpool.close();
    reachSpool.close();
    nthSpool.close();
    transitSpool.close();
    stepFreeSpool.close();
  }
}

/** The transit of a county, which is stored for explanations, and what writes it. */
interface WrittenTransit {
  readonly transit: TransitOfCounty;
  readonly writer: TransitWriter;
}

/** Begins to write the transit of a county; null in a region without it. */
function writtenTransit(
  linked: LinkedRegion,
  scope: CountyScope,
  which: 'transits' | 'stepFreeTransits',
  counts: ConstructorParameters<typeof TransitWriter>[2],
  spool: Spool,
): WrittenTransit | null {
  if (linked.searchRegion[which].length === 0) return null;
  const kind = which === 'transits' ? 'transit' : 'transit-step-free';
  const transit = new TransitOfCounty(linked, scope, which);
  return {
    transit,
    writer: new TransitWriter(`${kind}/${scope.county}`, transit.windows, counts, spool),
  };
}

/** The facts of the POIs in the scope of a county, as its object `pois` has them. */
export function factsInScope({ region }: LinkedRegion, { destinations }: CountyScope): Uint8Array {
  return encodePoiTable(Array.from(destinations, (one) => poiFacts(region.destinations[one])));
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
    for (let first = 0; first < origins.length; first += ROWS_PER_READ) {
      const end = Math.min(first + ROWS_PER_READ, origins.length);
      const ranges = Array.from({ length: end - first }, (_, i) => old.rowRange(first + i));
      const lengths = Uint32Array.from(ranges, ({ length }) => length);
      const length = lengths.reduce((sum, one) => sum + one, 0);
      const bytes =
        length === 0 ? new Uint8Array(0) : await store.readRange(pois, ranges[0].offset, length);
      written.append({ bytes, lengths });
    }
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

function record(block: CensusBlock, links: LinkedRegion['links'][number]) {
  const { geoid, population, landArea, lon, lat } = block;
  return { geoid, population, landArea, lon: toMicro(lon), lat: toMicro(lat), links };
}

function shellPoints({ area }: CensusBlock) {
  return area.polygons.flatMap(([shell]) => shell);
}

function blockPolygons(county: string, blocks: readonly CensusBlock[]): Uint8Array {
  return writeFlatGeobuf(
    `blocks_${county}`,
    [
      { name: 'geoid', type: 'string' },
      { name: 'population', type: 'int64' },
    ],
    blocks.map(({ area, geoid, population }) => ({
      geometry: area,
      properties: { geoid: geoidFromNumber(geoid), population },
    })),
  );
}
