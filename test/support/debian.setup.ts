import { ensureDebianPackage } from './debian.ts';

/** What tests need of Debian, and a program of each: those that many need first. */
const PACKAGES = [
  ['redis-server', 'redis-server'],
  ['osmium-tool', 'osmium'],
  ['nginx-light', 'nginx'],
  ['gdal-bin', 'ogrinfo'],
  ['unzip', 'unzip'],
  ['zip', 'zip'],
  ['wrk', 'wrk'],
  ['docker-compose', 'docker-compose'],
  ['prometheus', 'promtool'],
  ['chromium', 'chromium'],
] as const;

/** Begins to install what `npm test` needs, beside the first tests; each waits for its own. */
export default function setup(): void {
  if (process.env.npm_lifecycle_event === 'test') void installAll();
}

async function installAll(): Promise<void> {
  for (const [pkg, binary] of PACKAGES) {
    // The test that needs it says what is wrong.
    await ensureDebianPackage(pkg, binary).catch(() => {});
  }
}
