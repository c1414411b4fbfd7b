import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { PAGE_PATHS } from '../../portal/page-paths.ts';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/server-process.ts';

const START = path.resolve('dist/infra/start.js');
const TRIES_OF_MAIL = 50;

/** Cookies after signing in. */
export type Session = Awaited<
  ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>
>;

/** The service that `npm start` starts, as a process. */
export interface DemoService {
  /** Address of the pages. */
  readonly portal: string;
  readonly api: string;
  /** The most populous block. */
  readonly block: string;
  /** Signs in with the code shown on the mail page. */
  signIn(browser: Browser, email: string): Promise<Session>;
  stop(): Promise<unknown>;
}

/**
 * Starts the service over a folder such as `var`. Builds the demo city unless the folder has a
 * release or `settings` has a `STORE`.
 */
export async function startDemo(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<DemoService> {
  if (!existsSync(START)) throw new Error(`${START} is missing: run npm run build first`);
  const ports = { PORT: String(await freePort()), PORTAL_PORT: String(await freePort()) };
  const server = await startServer(
    [START],
    { VAR_DIR: folder, LOG_LEVEL: 'silent', ...ports, ...settings },
    { until: /Try it:\n.*\n/ },
  );
  const printed = (pattern: RegExp) => pattern.exec(server.said())![1];
  const portal = printed(/Map +(http:\S+)\/map/);
  const mails = printed(/Mail +(http:\S+)/);
  return {
    portal,
    api: printed(/API +(http:\S+)/),
    block: printed(/\/v1\/blocks\/(\d+)/),
    async signIn(browser, email) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(portal + PAGE_PATHS.signIn);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('E-mail address').press('Enter');
      await page.getByLabel('Six-digit code').waitFor();
      await page.getByLabel('Six-digit code').fill(await codeFor(mails, email));
      await page.waitForURL(portal + PAGE_PATHS.overview);
      const session = await context.storageState();
      await context.close();
      return session;
    },
    stop: () => server.stop(),
  };
}

/** The code of the newest mail to an address. */
async function codeFor(mails: string, email: string): Promise<string> {
  for (let i = 0; i < TRIES_OF_MAIL; i++) {
    const text = await (await fetch(mails)).text();
    const [article] = text.split('<article>').filter((one) => one.includes(`To ${email}`));
    const code = /\b(\d{6})\b/.exec(article?.split('<pre>')[1] ?? '')?.[1];
    if (code !== undefined) return code;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no mail came to ${email}`);
}
