import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureDebianPackage } from './debian.ts';

const run = promisify(execFile);

/**
 * Installs pinned PyPI packages in an isolated environment, and returns the folder of their
 * programs. It stays on the machine for later calls.
 */
export async function pythonTools(...packages: readonly string[]): Promise<string> {
  await ensureDebianPackage('python3-venv', 'python3');
  const name = createHash('sha256').update(packages.join()).digest('hex').slice(0, 16);
  const folder = path.join(tmpdir(), `travel-time-access-python-${name}`);
  const make = `test -f ${folder}/complete || { python3 -m venv --clear ${folder} && ${folder}/bin/pip install --quiet ${packages.join(' ')} && touch ${folder}/complete; }`;
  await run('flock', [`${folder}.lock`, 'sh', '-c', make]);
  return path.join(folder, 'bin');
}
