import { createHash } from 'node:crypto';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileBody } from '../../shards/store/put-body.ts';
import type { ObjectRef, Store, WritableStore } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import type { Progress } from '../progress.ts';
import type { InputPart, PathOf, PlannedInput } from './planned-input.ts';

const READ_BYTES: Bytes = 8 * 2 ** 20;
const NAME_DIGITS = 32;

/** Puts inputs into the store, for workers that cannot get them otherwise. */
export async function putInputs(
  store: WritableStore,
  inputs: readonly PlannedInput[],
  pathOf: PathOf,
  progress: Progress,
): Promise<void> {
  const stage = progress.start('shared inputs', inputs.length, 'inputs');
  for (const [i, input] of inputs.entries()) {
    const folder = path.dirname(path.resolve(pathOf(input)));
    for (const part of input.parts) {
      const { name, bytes } = refOf(part);
      if ((await store.stat(name))?.bytes === bytes) continue;
      await store.putContent(name, fileBody(path.join(folder, part.name), bytes));
    }
    stage.at(i + 1);
  }
  stage.finish();
}

/** Copies inputs from the store into a folder, except for those already there. */
export async function fetchInputs(
  store: Store,
  inputs: readonly PlannedInput[],
  folder: string,
  progress: Progress,
): Promise<PathOf> {
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
  return (input) => path.join(folderOf(input), input.name);
}

function refOf({ bytes, sha256 }: InputPart): ObjectRef {
  return { name: `inputs/${sha256.slice(0, NAME_DIGITS)}`, bytes, sha256 };
}

async function fetchPart(store: Store, ref: ObjectRef, file: string): Promise<void> {
  const there = await stat(file).catch(() => null);
  if (there?.size === ref.bytes) return;
  await mkdir(path.dirname(file), { recursive: true });
  const handle = await open(`${file}.part`, 'w');
  const hash = createHash('sha256');
  try {
    for (let offset = 0; offset < ref.bytes; offset += READ_BYTES) {
      const length = Math.min(READ_BYTES, ref.bytes - offset);
      const bytes = await store.readRange(ref, offset, length);
      hash.update(bytes);
      await handle.writeFile(bytes);
    }
  } finally {
    await handle.close();
  }
  if (hash.digest('hex') !== ref.sha256) {
    throw new BuildError(
      `${store.location}/${ref.name}: is not the input that was planned; remove it and plan again`,
    );
  }
  await rename(`${file}.part`, file);
}
