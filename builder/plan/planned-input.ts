import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { outlineFileOf } from '../extract/outline.ts';
import { fingerprint, unreadable } from '../inputs/fingerprint.ts';
import { isLooseShapefile, looseFilesOf } from '../inputs/shapefile.ts';
import { sizeOf } from '../inputs/size-of.ts';

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

/** An input, and its path on this machine. */
export interface LocalInput {
  readonly input: PlannedInput;
  readonly path: string;
}

/** Distinguishes inputs, since several may have the same content. */
export function identityOf({ name, sha256 }: PlannedInput): string {
  return `${name} ${sha256}`;
}

/** Describes an input by its path. Throws a `BuildError` if it cannot be read. */
export async function describeInput(input: string): Promise<PlannedInput> {
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
