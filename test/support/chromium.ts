import { type Browser, chromium, type Page } from 'playwright-core';
import { ensureDebianPackage } from './debian.ts';

/** Option to resolve loopback names only, since there is no network. */
const ALONE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost';

/**
 * Options to draw WebGL without a graphics card. All else on a page is drawn without WebGL, which
 * takes less than half of the processor time.
 */
export const SOFTWARE_GL = ['--enable-unsafe-swiftshader'];

/**
 * Options for pages without WebGL, whose map is a still picture: without a graphics card, drawing a
 * map takes most of the time of a page.
 */
export const NO_WEBGL = ['--disable-3d-apis'];

/**
 * Timeout, like that of `expect.poll`: it ends what hangs, and does not state how long a page may
 * take.
 */
const PATIENCE_MS = 120_000;

/** Chromium without the parts that draw its windows, which take a third of the processor time. */
const SHELL = '/usr/lib/chromium/chromium-headless-shell';

export async function openChromium(...args: readonly string[]): Promise<Browser> {
  await ensureDebianPackage('chromium-headless-shell', SHELL);
  const browser = await chromium.launch({
    executablePath: SHELL,
    args: ['--no-sandbox', ALONE, ...args],
    timeout: PATIENCE_MS,
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

/**
 * Device pixels per CSS pixel in shared browsers, unless a context states `deviceScaleFactor`:
 * pages have the same layout, and a quarter of the pixels, which take half of the time without a
 * graphics card.
 */
const SCALE = 0.5;

const shared = new Map<string, Promise<Browser>>();

/**
 * The browser that the tests of a process share, and which ends with it; tests close their pages.
 */
export function sharedChromium(args: readonly string[] = NO_WEBGL): Promise<Browser> {
  const name = args.join(' ');
  const browser = shared.get(name) ?? openScaled(args);
  shared.set(name, browser);
  return browser;
}

async function openScaled(args: readonly string[]): Promise<Browser> {
  const browser = await openChromium(...args);
  const newContext = browser.newContext.bind(browser);
  browser.newContext = (options) => newContext({ deviceScaleFactor: SCALE, ...options });
  return browser;
}

/** Whether a script injected into a page runs. */
export function runsSmuggled(page: Page): Promise<boolean> {
  return page.evaluate(`
    const script = document.createElement('script');
    script.textContent = 'window.smuggled = true';
    document.body.append(script);
    'smuggled' in window`);
}
