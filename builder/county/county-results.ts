import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { boxOf, edgesOf } from '../../shards/geometry/wgs84.ts';
import { type MatrixShape, MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import { MINUTES, TENTHS } from '../../shards/matrix/row-codec.ts';
import { linkModesOf } from '../../shards/modes.ts';
import { encodeNearest } from '../../shards/nearest/nearest.ts';
import { nthNearestIds } from '../../shards/nearest/nth-nearest.ts';
import { encodePoiTable } from '../../shards/pois/poi-table.ts';
import type { PutBody } from '../../shards/store/put-body.ts';
import type { Spool } from '../../shards/store/spool.ts';
import type { ObjectRef, WritableStore } from '../../shards/store/store.ts';
import { TransitWriter } from '../../shards/transit/transit-writer.ts';
import { type BlockOrdinal, toMicro } from '../../shards/units.ts';
import type { CensusBlock } from '../census/blocks.ts';
import { poiFacts } from '../destinations/destination.ts';
import { putObject } from '../publish/put-object.ts';
import type { SearchedCounty } from '../receipts/region-receipt.ts';
import { isLinked, type LinkedRegion } from '../region/link-region.ts';
import type { ChunkRequest, ChunkResult } from '../search/search-chunk.ts';
import type { CountyScope } from './county-scope.ts';
import { TransitOfCounty } from './county-transit.ts';
import { NthColumns } from './nth-columns.ts';

/** Rows of walks from stops that are written in one turn of the event loop. */
const ROWS_PER_TURN = 1_024;
/** The kinds of objects of the transit of a county, by riders, from which trips are explained. */
const TRANSIT_KINDS = ['transit', 'transit-step-free'] as const;

/** The results of a county, whose rows are written while it is searched. */
export class CountyResults {
  readonly #linked: LinkedRegion;
  readonly #scope: CountyScope;
  readonly #reachBlocks: readonly BlockOrdinal[];
  readonly #own: readonly CensusBlock[];
  readonly #pois: MatrixWriter;
  readonly #reach: MatrixWriter;
  readonly #nthNearest: MatrixWriter;
  readonly #nth: NthColumns;
  readonly #nearest: Uint16Array;
  readonly #nearestColumns: number;
  readonly #transit: readonly WrittenTransit[];
  #poiRows = 0;
  #reachRows = 0;

  constructor(
    linked: LinkedRegion,
    scope: CountyScope,
    reachBlocks: readonly BlockOrdinal[],
    openSpool: (kind: string) => Spool,
  ) {
    const { region, searchRegion, blocks } = linked;
    const { county, destinations } = scope;
    const { bases, leafCount, typeCount } = searchRegion;
    const modes = linked.modes.length;
    const own = region.counties.get(county)!;
    const matrix = (kind: string, shape: Omit<MatrixShape, 'modes' | 'bases'>) =>
      new MatrixWriter(`${kind}/${county}`, { ...shape, modes, bases }, openSpool(kind));
    this.#linked = linked;
    this.#scope = scope;
    this.#reachBlocks = reachBlocks;
    this.#own = own;
    const origins = own.map(({ geoid }) => geoid);
    this.#pois = matrix('pois', {
      origins,
      targets: Array.from(destinations, (one) => region.destinations[one].destId),
      attributes: factsInScope(linked, scope),
      unit: TENTHS,
    });
    const targets = reachBlocks.map((block) => blocks[block].geoid);
    this.#reach = matrix('reach-from', { origins, targets, unit: MINUTES });
    const types = nthNearestIds(linked.taxonomy);
    this.#nthNearest = matrix('nth-nearest', { origins: types, targets: origins, unit: TENTHS });
    this.#nth = new NthColumns({ blocks: own.length, modes, types: typeCount });
    this.#nearestColumns = modes * leafCount;
    this.#nearest = new Uint16Array(own.length * this.#nearestColumns);
    const counts = {
      origins: own.length,
      blocks: reachBlocks.length,
      pois: destinations.length,
    };
    this.#transit = searchRegion.riders.map((_, riders) => {
      const kind = TRANSIT_KINDS[riders];
      const transit = new TransitOfCounty(linked, scope, riders);
      const rows = openSpool(kind);
      const writer = new TransitWriter(`${kind}/${county}`, transit.windows, counts, rows);
      return { kind, transit, writer };
    });
  }

  add(result: ChunkResult, { firstRow }: ChunkRequest): void {
    this.#pois.append(result.pois);
    this.#reach.append(result.reach);
    this.#nearest.set(result.nearest, firstRow * this.#nearestColumns);
    this.#nth.add(firstRow, result.nth);
    for (const [riders, { transit, writer }] of this.#transit.entries()) {
      for (const walks of transit.access(result.access[riders])) writer.row(walks);
    }
    this.#poiRows += result.poiRows;
    this.#reachRows += result.reachRows;
  }

  async put(store: WritableStore): Promise<SearchedCounty> {
    const { modes, links: allLinks } = this.#linked;
    const { county, firstBlock, endBlock } = this.#scope;
    const own = this.#own;
    const links = allLinks.slice(firstBlock, endBlock);
    const index = own.map((block, i) => record(block, links[i]));
    const nearest = encodeNearest(`nearest/${county}`, this.#nearest, this.#nearestColumns);
    this.#nth.writeTo(this.#nthNearest);
    const put = (kind: string, object: Parameters<typeof putObject>[3], extension = 'tta') =>
      putObject(store, `${kind}/${county}`, extension, object);
    const transit: Record<string, ObjectRef> = {};
    for (const one of this.#transit)
      transit[one.kind] = await put(one.kind, await this.#finish(one));
    return {
      blocks: own.length,
      population: own.reduce((sum, { population }) => sum + (population ?? 0), 0),
      routable_blocks: links.filter(isLinked).length,
      block_box: edgesOf(boxOf(own.flatMap(shellPoints))),
      poi_rows: this.#poiRows,
      reach_rows: this.#reachRows,
      objects: {
        index: await put('index', BlockIndex.encode(index, linkModesOf(modes))),
        nearest: await put('nearest', nearest),
        'nth-nearest': await put('nth-nearest', this.#nthNearest.finish()),
        pois: await put('pois', this.#pois.finish()),
        'reach-from': await put('reach-from', this.#reach.finish()),
        ...transit,
        blocks: await put('blocks', blockPolygons(county, own), 'fgb'),
      },
    };
  }

  /** Writes the walks from stops to every target, the last rows. */
  async #finish({ transit, writer }: WrittenTransit): Promise<PutBody> {
    const { destinationCount } = this.#linked.searchRegion;
    const blocks = this.#reachBlocks.map((block) => destinationCount + block);
    for (const [i, target] of [...blocks, ...this.#scope.destinations].entries()) {
      writer.row(transit.egress(target));
      // In a large county this takes many seconds, during which timers must renew the build's lock.
      if (i % ROWS_PER_TURN === 0) await turnOfLoop();
    }
    return writer.finish();
  }
}

/** The transit of a county, which is stored for explanations, and what writes it. */
interface WrittenTransit {
  readonly kind: (typeof TRANSIT_KINDS)[number];
  readonly transit: TransitOfCounty;
  readonly writer: TransitWriter;
}

/** The facts of the POIs in the scope of a county, as its object `pois` has them. */
export function factsInScope({ region }: LinkedRegion, { destinations }: CountyScope): Uint8Array {
  return encodePoiTable(Array.from(destinations, (one) => poiFacts(region.destinations[one])));
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
