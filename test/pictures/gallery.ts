import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { openChromium, SOFTWARE_GL } from '../support/chromium.ts';
import { type Session, startDemo } from './demo-service.ts';
import { type View, viewsOf } from './views.ts';

/** Width and height of windows: a phone, a tablet, a laptop. */
const WINDOWS = [
  { width: 375, height: 812 },
  { width: 768, height: 1024 },
  { width: 1280, height: 900 },
];
const SCHEMES = ['light', 'dark'] as const;
const ACT_MS = 30_000;
/** Time for elements to fade in. */
const SETTLED_MS = 500;

/**
 * Takes pictures of all views of the demo city, at three widths, light and dark. The arguments are
 * the folder of the pictures and, optionally, prefixes of the names of views.
 */
const [folder = 'var/pictures', ...wanted] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const service = await startDemo(process.env.VAR_DIR ?? 'var');
const browser = await openChromium(...SOFTWARE_GL);
try {
  const session = await service.signIn(browser, 'ada@example.org');
  for (const view of viewsOf(service)) {
    if (wanted.length > 0 && !wanted.some((name) => view.name.startsWith(name))) continue;
    for (const viewport of WINDOWS) {
      for (const colorScheme of SCHEMES) {
        const file = path.join(folder, `${view.name}-${viewport.width}-${colorScheme}.png`);
        await take(view, { viewport, colorScheme }, file, session);
      }
    }
  }
} finally {
  await browser.close();
  await service.stop();
}

/** Takes a picture of a view, and a second one if the panel beside the map scrolls. */
async function take(
  { path: address, name, before, act, isSignedIn, isWhole }: View,
  window: Pick<NonNullable<Parameters<Browser['newContext']>[0]>, 'viewport' | 'colorScheme'>,
  file: string,
  session: Session,
): Promise<void> {
  const context = await browser.newContext({
    ...window,
    ...(isSignedIn && { storageState: session }),
  });
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => process.stderr.write(`${name}: ${error}\n`));
    await before?.(page);
    await page.goto(address.startsWith('http') ? address : service.portal + address, {
      waitUntil: 'networkidle',
    });
    page.setDefaultTimeout(ACT_MS);
    await act?.(page);
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(SETTLED_MS);
    await page.screenshot({ path: file, fullPage: isWhole });
    const panel = page.locator('.map-panel-body');
    if ((await panel.count()) === 0) return;
    const scrolls = await panel.evaluate((body) => {
      body.scrollTop = body.scrollHeight;
      return body.scrollTop > 0;
    });
    if (scrolls) await page.screenshot({ path: file.replace('.png', '-end.png') });
  } catch (error) {
    process.stderr.write(`${file}: ${error}\n`);
  } finally {
    await context.close();
  }
}
