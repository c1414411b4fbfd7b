import { ensureDebianPackage } from './debian.ts';

/** Debian packages that tests need, and a program of each: most widely used first. */
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
  ['chromium-headless-shell', 'chromium-headless-shell'],
] as const;

/**
 * Starts installing what `npm run test:system` needs, concurrently with the first tests; each test
 * waits for the packages that it needs.
 */
export default function setup(): void {
  if (process.env.npm_lifecycle_event === 'test:system') void installAll();
}

async function installAll(): Promise<void> {
  for (const [pkg, binary] of PACKAGES) {
    // The test that needs the package reports the error.
    await ensureDebianPackage(pkg, binary).catch(() => {});
  }
}
