import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LOCK = path.join(tmpdir(), 'travel-time-access-apt.lock');
const MAX_OUTPUT_BYTES = 1 << 26;

/**
 * Makes sure that a program of a Debian package is available, installing the package if it is not.
 * Concurrent test files take turns: otherwise apt would fail for all but the first. Throws apt's
 * own error when the package cannot be installed: a test that needs it must not pass without it.
 */
export async function ensureDebianPackage(pkg: string, binary: string): Promise<void> {
  const found = `command -v ${binary} > /dev/null`;
  const apt = 'DEBIAN_FRONTEND=noninteractive apt-get';
  const install = `${apt} install -y --no-install-recommends ${pkg}`;
  const script = `${found} || ${install} || { ${apt} update && ${install}; }`;
  // A root container, or a machine where sudo needs no password.
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  try {
    await run('sh', ['-c', found]);
  } catch {
    await run('flock', [LOCK, ...asRoot, 'sh', '-c', script], { maxBuffer: MAX_OUTPUT_BYTES });
  }
}
