import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { BuildError } from '../errors.ts';
import { outlineFileOf } from '../extract/outline.ts';
import { fingerprint, sizeOf, unreadable } from '../inputs/fingerprint.ts';
import { isLooseShapefile, looseFilesOf } from '../inputs/shapefile.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A path with `/` that stays below its folder, since files are written to it. */
const pathBelow = z
  .string()
  .refine((name) => !name.split(/[/\\]/).includes('..'), 'points outside its folder');

/**
 * A file of an input. `name` is its path, with `/`, relative to the folder that holds the input.
 */
const partSchema = z.strictObject({ name: pathBelow, bytes: z.int(), sha256 });
export type InputPart = z.infer<typeof partSchema>;

/** An input as identified in a plan: by its content, wherever it is stored. */
export const plannedInputSchema = z.strictObject({
  /** The last part of the input's path. */
  name: pathBelow,
  /**
   * The `fingerprint` of the input, or a digest of the fingerprints of its parts if it has
   * companion files.
   */
  sha256,
  /**
   * The files that are read for the input: the file itself, or the files of a folder; and companion
   * files next to it.
   */
  parts: z.array(partSchema),
});
export type PlannedInput = z.infer<typeof plannedInputSchema>;

/** Returns the path of a plan's input on this machine. */
export type PathOf = (input: PlannedInput) => string;

/** An input, its path on this machine, and what its files looked like when they were hashed. */
export interface LocalInput {
  readonly input: PlannedInput;
  readonly path: string;
  readonly stamp: string;
}

/** Distinguishes inputs, since several may have the same content. */
export function identityOf({ name, sha256 }: PlannedInput): string {
  return `${name} ${sha256}`;
}

/**
 * Describes an input by its path. Throws a `BuildError` if it cannot be read, or is replaced
 * meanwhile.
 */
export async function describeInput(path: string): Promise<LocalInput> {
  const stamp = await stampOf(path);
  const local = { input: await hashInput(path), path, stamp };
  await requireUnchanged([local]);
  return local;
}

/**
 * Throws a `BuildError` if the files of an input are no longer those that were hashed. To be called
 * after reading, before the outcome is recorded under the hash.
 */
export async function requireUnchanged(inputs: Iterable<LocalInput>): Promise<void> {
  for (const { path, stamp } of inputs) {
    if ((await stampOf(path)) === stamp) continue;
    throw changed(path);
  }
}

export function changed(file: string): BuildError {
  return new BuildError(
    `${file}: was changed or replaced while the build was reading it; run the command again`,
  );
}

/** The identity, size and time of change of each file that is read for an input. */
export async function stampOf(input: string): Promise<string> {
  try {
    const stamps: string[] = [];
    for (const file of await filesReadFor(input)) {
      const { ino, size, mtimeNs } = await stat(file, { bigint: true });
      stamps.push(`${file} ${ino} ${size} ${mtimeNs}`);
    }
    return stamps.join('\n');
  } catch (error) {
    throw unreadable(input, error);
  }
}

async function hashInput(input: string): Promise<PlannedInput> {
  const parts: InputPart[] = [];
  for (const file of await filesReadFor(input)) {
    const name = path.relative(path.dirname(path.resolve(input)), path.resolve(file));
    parts.push({
      name: name.split(path.sep).join('/'),
      bytes: await sizeOf(file),
      sha256: await fingerprint(file),
    });
  }
  const name = path.basename(path.resolve(input));
  const isFile = parts.some((part) => part.name === name);
  return { name, sha256: isFile ? digestOf(parts) : await fingerprint(input), parts };
}

/**
 * Digests the contents of a file and its companions by their extensions, since their stems may
 * change together. The digest of a file alone is its own hash.
 */
function digestOf(parts: readonly InputPart[]): string {
  if (parts.length === 1) return parts[0].sha256;
  const lines = parts.map(({ name, sha256 }) => `${path.extname(name).toLowerCase()} ${sha256}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}

async function filesReadFor(input: string): Promise<string[]> {
  try {
    if ((await stat(input)).isDirectory()) {
      const entries = await readdir(input, { withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      return files.sort().map((name) => path.join(input, name));
    }
  } catch (error) {
    throw unreadable(input, error);
  }
  if (isLooseShapefile(input)) return looseFilesOf(input);
  const outline = input.endsWith('.pbf') ? await outlineFileOf(input) : null;
  return outline === null ? [input] : [input, outline];
}
