import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { boxOf, edgesOf } from '../../shards/geometry/wgs84.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import {
  type BlockTable,
  decodeBlocks,
  decodePoints,
  encodeBlocks,
} from '../census/block-table.ts';
import { type CensusBlock, readBlocks } from '../census/blocks.ts';
import { BuildError } from '../errors.ts';
import type { Progress } from '../progress.ts';
import { putObject } from '../publish/put-object.ts';
import type { Receipts } from '../receipts/receipts.ts';
import {
  type PreparedBlocks,
  type PreparedCounty,
  preparedBlocksSchema,
} from './prepared-blocks.ts';

/** Some 4 KB each. */
const HELD_BLOCKS = 20_000;

export interface BlockPreparation {
  readonly paths: readonly string[];
  /** What tells them and this program from all others. */
  readonly madeOf: string;
  readonly store: WritableStore;
  readonly receipts: Receipts;
  /** A folder to write in. */
  readonly scratch: string;
  readonly progress: Progress;
  /** How many blocks are in memory before they are laid aside. */
  readonly heldBlocks?: number;
}

/**
 * Reads block files once, for all who need blocks of some counties: parts them by county, and puts
 * the tables into the store. In memory are the blocks of one county at a time. No blocks, and a block
 * given twice, fail by name.
 */
export async function prepareBlocks(preparation: BlockPreparation): Promise<PreparedBlocks> {
  const { paths, madeOf, store, receipts, scratch, progress } = preparation;
  const kept = await receipts.find('blocks', madeOf, preparedBlocksSchema);
  if (kept) return kept;
  const stage = progress.start('blocks', null, 'blocks');
  const piles = new BlockPiles(scratch, preparation.heldBlocks ?? HELD_BLOCKS);
  let read = 0;
  for (const file of paths) {
    for await (const block of readBlocks(file)) {
      await piles.add(block);
      stage.at(++read);
    }
  }
  if (read === 0) throw new BuildError(`${paths.join(', ')}: no blocks`);
  const prepared: [CountyFips, PreparedCounty][] = [];
  for (const county of piles.counties) {
    const blocks = (await piles.take(county)).sort((a, b) => a.geoid - b.geoid);
    const twice = blocks.find(({ geoid }, i) => geoid === blocks[i - 1]?.geoid);
    if (twice) {
      throw new BuildError(
        `${paths.join(', ')}: block ${twice.geoid} is there twice; give each file once`,
      );
    }
    prepared.push([county, await putCounty(store, county, blocks)]);
  }
  const all = Object.fromEntries(prepared);
  await receipts.keep('blocks', madeOf, all);
  stage.finish(`${read} blocks in ${prepared.length} counties`);
  return all;
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

/** Blocks in any order, piled up by county in files when they are many. */
class BlockPiles {
  readonly #scratch: string;
  readonly #most: number;
  readonly #held = new Map<CountyFips, CensusBlock[]>();
  readonly #files = new Map<CountyFips, string[]>();
  #heldBlocks = 0;

  constructor(scratch: string, most: number) {
    this.#scratch = scratch;
    this.#most = most;
  }

  get counties(): CountyFips[] {
    return [...new Set([...this.#held.keys(), ...this.#files.keys()])].sort();
  }

  async add(block: CensusBlock): Promise<void> {
    addTo(this.#held, block.county, block);
    if (++this.#heldBlocks >= this.#most) await this.#layAside();
  }

  /** All of a county, which are held no longer. */
  async take(county: CountyFips): Promise<CensusBlock[]> {
    const blocks = this.#held.get(county) ?? [];
    this.#held.delete(county);
    for (const file of this.#files.get(county) ?? []) {
      const [points, outlines] = await Promise.all(partsOf(file).map((part) => readFile(part)));
      blocks.push(...decodeBlocks(file, outlines, decodePoints(file, points, county)));
    }
    return blocks;
  }

  async #layAside(): Promise<void> {
    for (const [county, blocks] of this.#held) {
      const file = path.join(this.#scratch, `${county}-${this.#files.get(county)?.length ?? 0}`);
      const { points, outlines }: BlockTable = encodeBlocks(blocks);
      const [pointsFile, outlinesFile] = partsOf(file);
      await writeFile(pointsFile, points);
      await writeFile(outlinesFile, outlines);
      addTo(this.#files, county, file);
    }
    this.#held.clear();
    this.#heldBlocks = 0;
  }
}

function partsOf(file: string): string[] {
  return [`${file}.points`, `${file}.outlines`];
}

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
