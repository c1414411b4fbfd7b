import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { silent } from '../../builder/progress.ts';
import { type DemoFiles, writeDemoCity } from '../../infra/demo/write-demo-city.ts';

/** A demo city in a folder of its own. */
export async function writtenCity(
  blocks: number,
  seed: number,
): Promise<{ out: string; files: DemoFiles }> {
  const out = await mkdtemp(path.join(tmpdir(), 'demo-city-'));
  return { out, files: await writeDemoCity({ blocks, seed, out }, silent) };
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

/** What a program prints; fails when it does. */
export async function output(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 1 << 28 });
  return stdout;
}

/** An element as osmium prints it in its OPL format. */
export interface OplElement {
  readonly type: 'n' | 'w' | 'r';
  readonly id: number;
  readonly tags: ReadonlyMap<string, string>;
  /** Of a way. */
  readonly refs: readonly number[];
  readonly lon: number;
  readonly lat: number;
}

/** Every element of a PBF file, as osmium reads it. */
export async function oplElements(pbf: string): Promise<OplElement[]> {
  const lines = (await output('osmium', 'cat', pbf, '-f', 'opl')).trimEnd().split('\n');
  return lines.map((line) => {
    const [first, ...fields] = line.split(' ');
    const field = (letter: string) => fields.find((f) => f.startsWith(letter))?.slice(1) ?? '';
    const list = (letter: string) => field(letter).split(',').filter(Boolean);
    return {
      type: first[0] as OplElement['type'],
      id: Number(first.slice(1)),
      tags: new Map(
        list('T').map((tag) => tag.split('=').map(unescaped) as [key: string, value: string]),
      ),
      refs: first[0] === 'w' ? list('N').map((ref) => Number(ref.slice(1))) : [],
      lon: Number(field('x')),
      lat: Number(field('y')),
    };
  });
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-f]+)%/g, (_, hex) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
