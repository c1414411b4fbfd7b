import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { outlineFileOf } from '../extract/outline.ts';
import { fingerprint, unreadable } from '../inputs/fingerprint.ts';
import { looseFilesOf } from '../inputs/shapefile.ts';
import { sizeOf } from '../inputs/size-of.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A path below a folder, with `/`: files are written where it leads. */
const pathBelow = z
  .string()
  .refine((name) => !name.split(/[/\\]/).includes('..'), 'points outside its folder');

/** A file of an input: its path from where the input lies, with `/`. */
const partSchema = z.strictObject({ name: pathBelow, bytes: z.int(), sha256 });
export type InputPart = z.infer<typeof partSchema>;

/** An input as a plan knows it: by what is in it, wherever it lies. */
export const plannedInputSchema = z.strictObject({
  /** The last part of its path. */
  name: pathBelow,
  /** `fingerprint` of it. */
  sha256,
  /** The files that are read for it: itself, or those of a folder; and such as lie beside it. */
  parts: z.array(partSchema),
});
export type PlannedInput = z.infer<typeof plannedInputSchema>;

/** Where on this machine the inputs of a plan lie. */
export type PathOf = (input: PlannedInput) => string;

/** Describes an input by its path. A `BuildError` if it cannot be read. */
export async function describeInput(input: string): Promise<PlannedInput> {
  const parts: InputPart[] = [];
  for (const file of await filesReadFor(input)) {
    const name = path.relative(path.dirname(path.resolve(input)), path.resolve(file));
    parts.push({
      name: name.split(path.sep).join('/'),
      bytes: await sizeOf(file),
      sha256: await fingerprint([file]),
    });
  }
  const name = path.basename(path.resolve(input));
  const own = parts.find((part) => part.name === name);
  return { name, sha256: own?.sha256 ?? (await fingerprint([input])), parts };
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
  if (input.endsWith('.shp')) return looseFilesOf(input);
  const outline = input.endsWith('.pbf') ? await outlineFileOf(input) : null;
  return outline === null ? [input] : [input, outline];
}
