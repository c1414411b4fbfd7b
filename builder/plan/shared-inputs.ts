import { createHash } from 'node:crypto';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { ShardError } from '../../shards/errors.ts';
import { fileBody, type PutBody } from '../../shards/store/put-body.ts';
import { isAsRecorded, storedBody } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { writeFileWhole } from '../inputs/whole-file.ts';
import type { Progress } from '../progress.ts';
import {
  changed,
  type InputPart,
  type LocalInput,
  type PlannedInput,
  stampOf,
} from './planned-input.ts';

const NAME_DIGITS = 32;
/** Inputs that a worker keeps besides those at hand: the extracts of some states. */
const KEPT_BYTES: Bytes = 16 * 2 ** 30;

/**
 * Puts an input into the store, for workers that cannot get it otherwise. Throws a `BuildError` if
 * it is no longer what was planned.
 */
export async function putInput(
  store: WritableStore,
  { input, path: at }: LocalInput,
): Promise<void> {
  const folder = path.dirname(path.resolve(at));
  for (const part of input.parts) {
    const ref = refOf(part);
    if (await isAsRecorded(store, ref)) continue;
    await store.putContent(ref.name, verifiedBody(path.join(folder, part.name), ref));
  }
}

/** The content of a file; ends with a `BuildError` if it is not what was hashed. */
function verifiedBody(file: string, { bytes, sha256 }: ObjectRef): PutBody {
  return {
    bytes,
    async *chunks() {
      const hash = createHash('sha256');
      for await (const chunk of fileBody(file, bytes).chunks()) {
        hash.update(chunk);
        yield chunk;
      }
      if (hash.digest('hex') !== sha256) throw changed(file);
    },
  };
}

/**
 * Copies inputs from the store into a folder, except for those already there. Then removes others,
 * those used longest ago, down to `keptBytes` of them.
 */
export async function fetchInputs(
  store: Store,
  inputs: readonly PlannedInput[],
  folder: string,
  progress: Progress,
  keptBytes = KEPT_BYTES,
): Promise<LocalInput[]> {
  // Several files may have the same name, so each input has its own folder.
  const folderOf = ({ sha256 }: PlannedInput) => path.join(folder, sha256.slice(0, NAME_DIGITS));
  const stage = progress.start('shared inputs', inputs.length, 'inputs');
  for (const [i, input] of inputs.entries()) {
    for (const part of input.parts) {
      await fetchPart(store, refOf(part), path.join(folderOf(input), part.name));
    }
    stage.at(i + 1);
  }
  stage.finish();
  await removeUnused(folder, new Set(inputs.map(folderOf)), keptBytes);
  const paths = inputs.map((input) => ({ input, path: path.join(folderOf(input), input.name) }));
  return Promise.all(paths.map(async (at) => ({ ...at, stamp: await stampOf(at.path) })));
}

/** Removes the inputs in a folder that were used longest ago, but none of those `inUse`. */
async function removeUnused(
  folder: string,
  inUse: ReadonlySet<string>,
  keptBytes: Bytes,
): Promise<void> {
  const now = new Date();
  // The time of change of an input's folder is that of its last use.
  for (const used of inUse) await utimes(used, now, now);
  const others = (await readdir(folder)).map((name) => path.join(folder, name));
  const unused = await Promise.all(
    others
      .filter((other) => !inUse.has(other))
      .map(async (other) => ({ other, usedMs: (await stat(other)).mtimeMs })),
  );
  let kept = 0;
  for (const { other } of unused.sort((a, b) => b.usedMs - a.usedMs)) {
    for (const file of await readdir(other, { recursive: true })) {
      const found = await stat(path.join(other, file));
      if (found.isFile()) kept += found.size;
    }
    if (kept > keptBytes) await rm(other, { recursive: true });
  }
}

function refOf({ bytes, sha256 }: InputPart): ObjectRef {
  return { name: `inputs/${sha256.slice(0, NAME_DIGITS)}`, bytes, sha256 };
}

async function fetchPart(store: Store, ref: ObjectRef, file: string): Promise<void> {
  const there = await stat(file).catch(() => null);
  if (there?.size === ref.bytes) return;
  try {
    await writeFileWhole(file, () => storedBody(store, ref).chunks());
  } catch (error) {
    if (!(error instanceof ShardError)) throw error;
    throw new BuildError(
      `${store.location}/${ref.name}: is not the input that was planned; remove it and plan again`,
    );
  }
}
