import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type GeoidNumber, geoidToNumber, isGeoid } from '../../shards/geoid.ts';
import { boxesMeet, boxOf, edgesOf } from '../../shards/geometry/wgs84.ts';
import { counted, withCommas } from '../../shards/number-words.ts';
import { boxSchema, countyFipsSchema, objectRefSchema } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import type { BoundingBox, CountyFips } from '../../shards/units.ts';
import {
  decodeBlocks,
  decodePoints,
  decodePopulations,
  encodeBlocks,
} from '../census/block-table.ts';
import { type BlockPoint, type CensusBlock, readBlocks } from '../census/blocks.ts';
import { BuildError } from '../errors.ts';
import { putObject } from '../publish/put-object.ts';
import { openWeightFile } from '../weights/open-weight-file.ts';
import { type PartitionFiles, Partitions } from './partitions.ts';
import type { Preparation } from './preparation.ts';

/** Number of blocks held in memory, about 4 KB each. */
const HELD_BLOCKS = 20_000;

interface BlockPreparation extends Preparation {
  readonly paths: readonly string[];
  /** Tables of the people of blocks, which count instead of those in the block files. */
  readonly populations: readonly string[];
  readonly scratch: string;
  readonly heldBlocks?: number;
}

/**
 * Reads block files once for all units, groups their blocks by county, and puts the tables into the
 * store. Holds the blocks of one county in memory at a time. Throws a `BuildError` if there are no
 * blocks, or if a block is given twice, which the error names.
 */
export async function writeBlocks(preparation: BlockPreparation): Promise<PreparedBlocks> {
  const { receipts, keyOf } = preparation;
  const make = () => readAll(preparation);
  return receipts.findOrMake('blocks', keyOf([]), preparedBlocksSchema, make);
}

async function readAll(preparation: BlockPreparation): Promise<PreparedBlocks> {
  const { paths, store, scratch, progress } = preparation;
  const stage = progress.start('blocks', null, 'blocks');
  const most = preparation.heldBlocks ?? HELD_BLOCKS;
  const piles = new Partitions(path.join(scratch, 'blocks-'), most, inTables);
  const populations = await readPopulations(preparation.populations);
  let read = 0;
  let found = 0;
  let ownCounts = 0;
  for (const file of paths) {
    for await (const block of readBlocks(file, populations, progress.note)) {
      if (populations.has(block.geoid)) found++;
      else if (block.population !== null) ownCounts++;
      await piles.add(block.county, block);
      stage.at(++read);
    }
  }
  if (preparation.populations.length > 0 && found === 0) {
    throw new BuildError(
      `${preparation.populations.join(', ')}: has no row for any of the blocks; is it of another state, or of another census than 2020?`,
    );
  }
  if (preparation.populations.length > 0 && ownCounts > 0) {
    progress.note(
      `${withCommas(ownCounts)} of ${counted(read, 'block')} are not in the populations given; those of the block files are used`,
    );
  }
  if (read === 0) throw new BuildError(`${paths.join(', ')}: contains no blocks`);
  const prepared: [CountyFips, PreparedCounty][] = [];
  for (const county of piles.keys.sort()) {
    const blocks = (await piles.take(county)).sort((a, b) => a.geoid - b.geoid);
    const twice = blocks.find(({ geoid }, i) => geoid === blocks[i - 1]?.geoid);
    if (twice) {
      throw new BuildError(
        `${paths.join(', ')}: block ${twice.geoid} appears twice; give each file only once`,
      );
    }
    prepared.push([county, await putCounty(store, county, blocks)]);
  }
  stage.finish(`${counted(read, 'block')} in ${counted(prepared.length, 'county', 'counties')}`);
  return Object.fromEntries(prepared);
}

async function putCounty(
  store: WritableStore,
  county: CountyFips,
  blocks: readonly CensusBlock[],
): Promise<PreparedCounty> {
  const { points, outlines } = encodeBlocks(blocks);
  const put = (what: string, bytes: Uint8Array) =>
    putObject(store, `prepared/${county}-${what}`, 'tta', bytes);
  return {
    box: edgesOf(boxOf(blocks.map(({ lon, lat }) => [lon, lat]))),
    points: await put('points', points),
    outlines: await put('outlines', outlines),
  };
}

const inTables: PartitionFiles<CountyFips, CensusBlock> = {
  async write(file, blocks) {
    const { points, outlines } = encodeBlocks(blocks);
    await writeFile(pointsOf(file), points);
    await writeFile(outlinesOf(file), outlines);
  },
  async take(file, county) {
    const [points, outlines] = [await readFile(pointsOf(file)), await readFile(outlinesOf(file))];
    for (const read of [pointsOf(file), outlinesOf(file)]) await rm(read);
    return decodeBlocks(file, outlines, decodePoints(file, points, county));
  },
};

const pointsOf = (file: string) => `${file}.points`;
const outlinesOf = (file: string) => `${file}.outlines`;

/**
 * Reads the people of blocks from tables with columns of GEOIDs and populations (CSV, possibly
 * gzipped) or the archives of PL 94-171. Throws a `BuildError` that names file and line for an area
 * that is not a block, or a block that is there twice.
 */
async function readPopulations(
  paths: readonly string[],
): Promise<ReadonlyMap<GeoidNumber, number>> {
  const populations = new Map<GeoidNumber, number>();
  for (const path of paths) {
    const { rows } = await openWeightFile(path, 'people');
    for await (const { area, counts, row } of rows) {
      if (!isGeoid(area)) {
        throw new BuildError(`${path}: ${row}: ${area} is not a block (15 digits)`);
      }
      const geoid = geoidToNumber(area);
      if (populations.has(geoid)) {
        throw new BuildError(
          `${path}: ${row}: block ${area} appears twice; remove one of the rows`,
        );
      }
      populations.set(geoid, counts[0]);
    }
  }
  return populations;
}

const preparedCountySchema = z.strictObject({
  /** The box around the points of the county's blocks: west, south, east, north. */
  box: boxSchema,
  points: objectRefSchema,
  outlines: objectRefSchema,
});
type PreparedCounty = z.infer<typeof preparedCountySchema>;

/** References to the block tables of all counties in a store. */
export const preparedBlocksSchema = z.record(countyFipsSchema, preparedCountySchema);
type PreparedBlocks = z.infer<typeof preparedBlocksSchema>;

export class BlockTables {
  readonly #store: Store;
  readonly #prepared: PreparedBlocks;

  constructor(store: Store, prepared: PreparedBlocks) {
    this.#store = store;
    this.#prepared = prepared;
  }

  /** All counties, ascending. */
  get counties(): CountyFips[] {
    return Object.keys(this.#prepared).sort();
  }

  /** The counties whose blocks may lie in a box, ascending. */
  countiesNear(box: BoundingBox): CountyFips[] {
    return this.counties.filter((county) => boxesMeet(this.boxOf(county), box));
  }

  boxOf(county: CountyFips): BoundingBox {
    const [minLon, minLat, maxLon, maxLat] = this.#prepared[county].box;
    return { minLon, minLat, maxLon, maxLat };
  }

  refsOf(county: CountyFips): ObjectRef[] {
    const { points, outlines } = this.#prepared[county];
    return [points, outlines];
  }

  /** Reads the populations of a county's blocks, 0 where unknown, and their GEOIDs, ascending. */
  async populations(
    county: CountyFips,
  ): Promise<{ geoids: Float64Array; populations: Uint32Array }> {
    const { points, outlines } = this.#prepared[county];
    return decodePopulations(
      points.name,
      await readVerified(this.#store, points),
      outlines.name,
      await readVerified(this.#store, outlines),
    );
  }

  /** Reads the points of a county's blocks, ascending by GEOID. */
  async points(county: CountyFips): Promise<BlockPoint[]> {
    const { points } = this.#prepared[county];
    return decodePoints(points.name, await readVerified(this.#store, points), county);
  }

  /** Reads a county's blocks, ascending by GEOID. */
  async blocks(county: CountyFips): Promise<CensusBlock[]> {
    const { outlines } = this.#prepared[county];
    const points = await this.points(county);
    return decodeBlocks(outlines.name, await readVerified(this.#store, outlines), points);
  }
}
