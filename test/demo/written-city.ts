import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { silent } from '../../builder/progress.ts';
import { type DemoFiles, writeDemoCity } from '../../infra/demo/write-demo-city.ts';

/** Writes a demo city into a folder of its own. */
export async function writtenCity(
  blocks: number,
  seed: number,
): Promise<{ out: string; files: DemoFiles }> {
  const out = await mkdtemp(path.join(tmpdir(), 'demo-city-'));
  return { out, files: await writeDemoCity({ blocks, seed, out }, silent) };
}

/** A demo city that the tests of a file share, and that is removed after the last of them. */
export function cityOfTests(blocks: number, seed: number): { out: string; files: DemoFiles } {
  const city: Partial<Awaited<ReturnType<typeof writtenCity>>> = {};
  beforeAll(async () => void Object.assign(city, await writtenCity(blocks, seed)));
  afterAll(() => rm(city.out!, { recursive: true, force: true }));
  return city as Required<typeof city>;
}

export async function hashes(files: DemoFiles): Promise<Record<string, string>> {
  const paths = [files.osm, files.gtfs, ...files.blocks, files.places, files.counties];
  const entries = paths.map(async (file) => {
    const hash = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
    return [path.basename(file), hash] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The output of a program; throws if it fails. */
export async function output(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 1 << 28 });
  return stdout;
}
