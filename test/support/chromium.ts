import { type Browser, chromium, type Page } from 'playwright-core';
import { ensureDebianPackage } from './debian.ts';

/** Resolves loopback names only: there is no network. */
const ALONE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost';

/** Draws WebGL without a graphics card. */
export const SOFTWARE_GL = [
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

export async function openChromium(...args: readonly string[]): Promise<Browser> {
  await ensureDebianPackage('chromium', 'chromium');
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', ALONE, ...args],
  });
}

/** Whether a script injected into a page runs. */
export function runsSmuggled(page: Page): Promise<boolean> {
  return page.evaluate(`
    const script = document.createElement('script');
    script.textContent = 'window.smuggled = true';
    document.body.append(script);
    'smuggled' in window`);
}
