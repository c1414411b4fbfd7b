import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Position } from '../../../shards/geometry/polygon.ts';
import type { Metres } from '../../../shards/units.ts';

const run = promisify(execFile);
const VERSION = '3.9.1';
/** The oldest Python that Valhalla's wheel supports. */
const PYTHON = { major: 3, minor: 12 };
const SCRIPT = path.resolve('test/bench/engines/valhalla_metres.py');
const MAX_OUTPUT_BYTES = 1 << 28;

/**
 * Computes metres on foot with Valhalla, which is installed from PyPI into `cache`: one row per
 * origin, Infinity where there is no route. Throws if no Python is new enough.
 */
export async function valhallaMetres(
  osm: string,
  origins: readonly Position[],
  targets: readonly Position[],
  { folder, cache }: { readonly folder: string; readonly cache: string },
): Promise<Metres[][]> {
  const environment = path.join(cache, `valhalla-${VERSION}`);
  const python = path.join(environment, 'bin/python');
  if (!existsSync(python)) await run(await newEnoughPython(), ['-m', 'venv', environment]);
  await run(python, ['-m', 'pip', 'install', '--only-binary', ':all:', `pyvalhalla==${VERSION}`]);
  const [points, out] = ['points.json', 'metres.json'].map((file) => path.join(folder, file));
  writeFileSync(points, JSON.stringify({ origins, targets }));
  await run(python, [SCRIPT, osm, folder, points, out], { maxBuffer: MAX_OUTPUT_BYTES });
  const rows: (number | null)[][] = JSON.parse(readFileSync(out, 'utf8'));
  return rows.map((row) => row.map((metres) => metres ?? Infinity));
}

async function newEnoughPython(): Promise<string> {
  for (const python of pythons()) {
    const found = await run(python, ['--version']).catch(() => null);
    const [, major, minor] = /(\d+)\.(\d+)/.exec(found?.stdout ?? '') ?? [];
    if (Number(major) === PYTHON.major && Number(minor) >= PYTHON.minor) return python;
  }
  throw new Error(`Valhalla's wheel needs Python ${PYTHON.major}.${PYTHON.minor} or later`);
}

/** Names of Python interpreters: on the path, and in pyenv's own folder. */
function pythons(): string[] {
  const versions = path.join(homedir(), '.pyenv/versions');
  const kept = (() => {
    try {
      return readdirSync(versions);
    } catch {
      return [];
    }
  })();
  return ['python3', ...kept.map((version) => path.join(versions, version, 'bin/python3'))];
}
