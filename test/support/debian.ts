import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Folder of what tests install, which stays on the machine for later runs. */
export const TOOLS_FOLDER = process.env.TOOLS_FOLDER ?? tmpdir();
const LOCK = path.join(TOOLS_FOLDER, 'travel-time-access-apt.lock');
const MAX_OUTPUT_BYTES = 1 << 26;
/**
 * Command that waits for dpkg's lock, which another apt, such as the machine's own upgrades, may
 * hold for minutes.
 */
const APT = 'DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=900';
/**
 * Attempts: `DPkg::Lock::Timeout` does not cover the lock of the package lists, so updating is
 * retried.
 */
const TRIES = 20;
const SECONDS_BETWEEN = 10;

/**
 * Makes sure that a program or file of a Debian package is available, installing it if it is not.
 * Concurrent test files take turns, and wait for other programs that use apt. Throws apt's own
 * error when the package cannot be installed: a test that needs it must not pass without it.
 */
export async function ensureDebianPackage(pkg: string, binary: string): Promise<void> {
  const found = `{ command -v ${binary} > /dev/null || test -e ${binary}; }`;
  const install = `${APT} install -y --no-install-recommends ${pkg}`;
  const attempt = `{ ${found} || ${install} || { ${APT} update && ${install}; }; } && exit`;
  const script = `for i in $(seq ${TRIES}); do ${attempt}; sleep ${SECONDS_BETWEEN}; done; exit 1`;
  // A root container, or a machine where sudo needs no password.
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  try {
    await run('sh', ['-c', found]);
  } catch {
    await run('flock', [LOCK, ...asRoot, 'sh', '-c', script], { maxBuffer: MAX_OUTPUT_BYTES });
  }
}
