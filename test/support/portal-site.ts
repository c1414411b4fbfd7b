import type { Browser, BrowserContext } from 'playwright-core';
import { inject } from 'vitest';
import type { PortalConfigInput } from '../../portal/config.ts';
import { smtpMailer } from '../../portal/mail/smtp-mailer.ts';
import type { Payment } from '../../portal/payment/payment.ts';
import { sharedChromium } from './chromium.ts';
import { freePort } from './free-port.ts';
import { type Inbox, openInbox } from './inbox.ts';
import { openPortal, type PortalHarness } from './portal-harness.ts';
import { openProxy, type ProxyHarness } from './proxy-harness.ts';

/** GEOID of the demo city as a census place, which covers its whole county. */
const PORT_MERIDIAN = '9957600';

/** The whole service as users see it: pages, API and mail on loopback, and a browser. */
export interface PortalSite {
  /** The address of the pages. */
  readonly address: string;
  readonly apiAddress: string;
  readonly exampleBlock: string;
  readonly browser: Browser;
  readonly inbox: Inbox;
  readonly portal: PortalHarness;
  readonly proxy: ProxyHarness;
  /** Opens a signed-in browser context, whose `storageState` signs another one in too. */
  signedIn(email: string): Promise<BrowserContext>;
  close(): Promise<void>;
}

export async function openPortalSite(
  options: {
    readonly payment?: Payment;
    readonly config?: PortalConfigInput;
    /** The demo city's by default. */
    readonly store?: string;
    /** A block of the demo city by default. */
    readonly exampleBlock?: string;
    readonly chromium?: readonly string[];
  } = {},
): Promise<PortalSite> {
  const [apiPort, portalPort] = [await freePort(), await freePort()];
  const apiAddress = `http://127.0.0.1:${apiPort}`;
  const address = `http://127.0.0.1:${portalPort}`;
  const proxy = await openProxy(options.store ?? inject('demoStore'), {
    config: { baseUrl: apiAddress },
  });
  await proxy.app.listen({ port: apiPort, host: '127.0.0.1' });
  const inbox = await openInbox();
  const mailer = smtpMailer(inbox.address, 'Travel-Time Access <access@example.org>');
  const exampleBlock = options.exampleBlock ?? (await someBlock(proxy));
  const { payment } = options;
  const portal = await openPortal({
    ledger: proxy.ledger,
    mailer,
    ...(payment && { payment: () => payment }),
    config: { accountUrl: address, apiUrl: apiAddress, exampleBlock, ...options.config },
  });
  await portal.app.listen({ port: portalPort, host: '127.0.0.1' });
  const browser = await sharedChromium(options.chromium);
  return {
    address,
    apiAddress,
    exampleBlock,
    browser,
    inbox,
    portal,
    proxy,
    async signedIn(email) {
      const visitor = portal.visitor();
      await visitor.post('/auth/request', { email });
      const code = /\b(\d{6})\b/.exec((await inbox.next(email)).text ?? '')![1];
      await visitor.post('/auth/verify-code', { email, code });
      const [name, value] = visitor.cookie!.split('=');
      const context = await browser.newContext();
      await context.addCookies([{ name, value, url: address }]);
      return context;
    },
    async close() {
      await Promise.all(browser.contexts().map((context) => context.close()));
      await portal.close();
      await mailer.close();
      await inbox.close();
      await proxy.close();
    },
  };
}

/** A block of the demo city with destinations within walking distance. */
async function someBlock(proxy: ProxyHarness): Promise<string> {
  const { key } = await proxy.customer();
  const response = await proxy.get(`/v1/places/${PORT_MERIDIAN}/blocks?mode=walk&limit=1`, key);
  return response.json().results[0].geoid;
}
