import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { versionOf } from '../../builder/plan/program-version.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();

/** Writes a single-file program as an installation has it, and returns its folder. */
async function program(name: string, code: string, packages: object, up = '.'): Promise<string> {
  const root = path.join(folder, name);
  for (const room of ['builder', 'shards']) await mkdir(path.join(root, room), { recursive: true });
  await writeFile(path.join(root, 'builder', 'build.js'), code);
  await mkdir(path.join(root, up, 'node_modules'), { recursive: true });
  const lockfile = path.join(root, up, 'node_modules', '.package-lock.json');
  await writeFile(lockfile, JSON.stringify({ lockfileVersion: 3, packages }));
  return root;
}

test('a program is identified by its code, its dependencies, and its Node’s major version', async () => {
  const zod = (version: string) => ({ 'node_modules/zod': { version } });
  const own = versionOf(await program('own', '1', zod('4.1.0')), '20.1.0');
  expect(own).toMatch(/^[0-9a-f]{16} on Node 20$/);
  const others = [
    versionOf(await program('code', '2', zod('4.1.0')), '20.1.0'),
    versionOf(await program('zod', '1', zod('4.1.1')), '20.1.0'),
    versionOf(await program('node', '1', zod('4.1.0')), '22.1.0'),
  ];
  expect(new Set([own, ...others]).size).toBe(4);

  const notOfIt = {
    'node_modules/vitest': { version: '4.0.0', dev: true },
    'node_modules/fsevents': { version: '2.3.3', optional: true },
  };
  const same = { ...zod('4.1.0'), ...notOfIt };
  const compiled = await program('of-development/dist', '1', same, '..');
  expect(versionOf(compiled, '20.2.0')).toBe(own);
});
