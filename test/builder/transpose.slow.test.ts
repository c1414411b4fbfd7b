import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { putObject } from '../../builder/publish/put-object.ts';
import {
  type TransposedMatrix,
  transposeCounties,
} from '../../builder/transpose/transpose-counties.ts';
import { openTransposePool } from '../../builder/transpose/transpose-pool.ts';
import { ShardError } from '../../shards/errors.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { MatrixWriter } from '../../shards/matrix/matrix-writer.ts';
import { MINUTES, TENTHS, type TimeUnit } from '../../shards/matrix/row-codec.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { Spool } from '../../shards/store/spool.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { Dice } from '../transit/dice.ts';

const folder = folderOfTests();
let store: FolderStore;
beforeAll(async () => {
  store = new FolderStore(path.join(folder, 'store'));
});
afterAll(() => store.close());

const MODES = 3;
/** The last mode is stored by what differs from the first. */
const BASES = [-1, -1, 0];
const COUNTIES = ['99001', '99003', '99005', '99007'];

/** A county with the ids of its blocks, and of all blocks that its rows lead to. */
interface County {
  readonly fips: string;
  readonly blocks: readonly number[];
  readonly targets: readonly number[];
  readonly source: ObjectRef;
}

/** `target mode origin` → time, as the row from origin to target has it. */
type Entries = Map<string, number>;

/**
 * Counties whose rows lead to their own blocks and those of some others, at random; the last has no
 * block that leads anywhere.
 */
async function drawCounties(seed: number, unit: TimeUnit, blocks: number) {
  const dice = new Dice(seed);
  const blocksOf = COUNTIES.map((fips) =>
    Array.from({ length: 1 + dice.below(blocks) }, (_, i) => Number(`${fips}0001000000`) + 3 * i),
  );
  const entries: Entries = new Map();
  const counties: County[] = [];
  for (const [i, fips] of COUNTIES.entries()) {
    const reach = COUNTIES.map((_, j) => i === j || dice.chance(0.6));
    const targets = blocksOf.flatMap((list, j) => (reach[j] ? list : []));
    const isSilent = i === COUNTIES.length - 1;
    const spool = new Spool('small enough for memory');
    const stem = `reach-from/${fips}`;
    const shape = { origins: blocksOf[i], targets, modes: MODES, bases: BASES, unit };
    const writer = new MatrixWriter(stem, shape, spool);
    for (const origin of blocksOf[i]) {
      const share = isSilent ? 0 : dice.pick([0, 0.02, 0.5, 1]);
      const rows = Array.from({ length: MODES }, (_, mode) => {
        const chosen = [...targets.keys()].filter(() => dice.chance(share));
        const times = chosen.map(() => unit.least + dice.below(unit.most - unit.least + 1));
        for (const [n, target] of chosen.entries()) {
          entries.set(`${targets[target]} ${mode} ${origin}`, times[n]);
        }
        return { targets: Uint32Array.from(chosen), times: Uint16Array.from(times) };
      });
      writer.row(rows);
    }
    const source = await putObject(store, stem, 'tta', writer.finish());
    counties.push({ fips, blocks: blocksOf[i], targets, source });
  }
  return { counties, entries };
}

async function turnAround(counties: readonly County[], unit: TimeUnit, memory: number) {
  const matrices = counties.map(({ fips, blocks }) => ({
    county: fips,
    origins: Float64Array.from(blocks),
    sources: counties.filter((from) => from.targets.includes(blocks[0])).map((from) => from.source),
  }));
  const options = {
    kind: 'reach-to',
    bases: BASES,
    modes: MODES,
    unit,
    memory,
    scratch: folder,
  } as const;
  const pool = openTransposePool(1);
  const made = new Map<string, ObjectRef>();
  const keep = async ({ county }: TransposedMatrix, object: ObjectRef) => {
    made.set(county, object);
  };
  await transposeCounties(store, pool, matrices, options, keep, () => {});
  return made;
}

/** Reads matrices back, target by target in their original order, in the order of the counties. */
async function read(made: ReadonlyMap<string, ObjectRef>): Promise<Entries> {
  const entries: Entries = new Map();
  for (const ref of made.values()) {
    const matrix = await Matrix.open(store, ref);
    for await (const { ordinal, modes } of matrix.rows()) {
      modes.forEach(({ targets, times }, mode) => {
        targets.forEach((target, i) => {
          entries.set(`${matrix.origins[ordinal]} ${mode} ${matrix.targets[target]}`, times[i]);
        });
      });
    }
  }
  return entries;
}

test.each([
  [1, TENTHS, 40],
  [2, MINUTES, 40],
  [3, TENTHS, 180],
  [4, MINUTES, 180],
])(
  'every entry is reversed and none added, with any memory limit: draw %i',
  async (seed, unit, blocks) => {
    const { counties, entries } = await drawCounties(seed, unit, blocks);
    const tight = await turnAround(counties, unit, 1);
    expect(await read(tight)).toEqual(entries);
    // The division into pieces affects no byte.
    expect(await turnAround(counties, unit, 2 ** 30)).toEqual(tight);
    // Nothing but the store is left in the scratch folder.
    expect(await readdir(folder)).toEqual(['store']);
  },
);

test('a damaged source is named, and nothing is left in the scratch folder', async () => {
  const { counties } = await drawCounties(5, MINUTES, 60);
  const [{ source }] = counties;
  const { bytes } = await store.readWhole(source.name);
  const harmed = Buffer.from(bytes);
  const head = await Matrix.open(store, source);
  const ordinal = [...head.origins.keys()].find((i) => head.rowRange(i).length > 0)!;
  harmed[head.rowRange(ordinal).offset + 1] ^= 8;
  await store.remove(source.name);
  await store.putContent(source.name, harmed);
  // A store keeps files open and would keep reading the removed one.
  await store.close();
  store = new FolderStore(store.location);
  const failure = await turnAround(counties, MINUTES, 1).catch((error) => error);
  expect(failure).toBeInstanceOf(ShardError);
  expect(failure.message).toContain(source.name);
  expect(await readdir(folder)).toEqual(['store']);
});
