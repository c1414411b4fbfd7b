import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { TOOLS_FOLDER } from './debian.ts';

const FOLDER = path.join(TOOLS_FOLDER, 'travel-time-access-newer-nginx');
/** Packages of nginx and of the libraries it is linked with. */
const PACKAGES = [
  'nginx',
  'libc6',
  'libssl3t64',
  'libpcre2-8-0',
  'zlib1g',
  'libcrypt1',
  'libzstd1',
];

/**
 * Returns the command of an nginx at least as new as the image's: the nginx of Debian's next
 * release, unpacked alongside the system's own, with the libraries it needs. The files stay on the
 * machine.
 */
export async function newerNginx(): Promise<readonly string[]> {
  await mkdir(path.join(FOLDER, 'lists/partial'), { recursive: true });
  const source = 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]';
  await writeFile(
    path.join(FOLDER, 'sources'),
    `${source} http://deb.debian.org/debian testing main\n`,
  );
  const options = {
    'Dir::Etc::sourcelist': path.join(FOLDER, 'sources'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': path.join(FOLDER, 'lists'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': 'root',
    'Debug::NoLocking': '1',
  };
  const apt = `apt-get -q ${Object.entries(options)
    .map(([name, value]) => `-o ${name}=${value}`)
    .join(' ')}`;
  const unpack = 'for deb in *.deb; do dpkg-deb -x "$deb" root; done';
  const make = `${apt} update && ${apt} download ${PACKAGES.join(' ')} && ${unpack} && touch complete`;
  const script = `cd ${FOLDER} && { test -f complete || { ${make}; }; }`;
  await promisify(execFile)('flock', [`${FOLDER}.lock`, 'sh', '-c', script]);
  const libraries = path.join(FOLDER, 'root/usr/lib/x86_64-linux-gnu');
  const loader = path.join(libraries, 'ld-linux-x86-64.so.2');
  return [loader, '--library-path', libraries, path.join(FOLDER, 'root/usr/sbin/nginx')];
}
