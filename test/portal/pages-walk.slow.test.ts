import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Payment } from '../../portal/payment/payment.ts';
import { PLANS } from '../../proxy/plans.ts';
import { runsSmuggled } from '../support/chromium.ts';
import { openPortalSite, type PortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { loaded, openWatched } from '../support/watched-page.ts';

const UNAUTHORIZED = 401;
const CHECKOUT = 'https://checkout.example.org/pay';
const unused = async () => {
  throw new Error('not asked for here');
};
/** A shop with a remote checkout. */
const SHOP: Payment = {
  subscribe: async () => `${CHECKOUT}/membership`,
  buyPack: async (_account, pack) => `${CHECKOUT}/${pack}`,
  manage: async () => `${CHECKOUT}/manage`,
  portalUrl: () => `${CHECKOUT}/manage`,
  endSubscription: async () => {},
  receive: unused,
};

let site: PortalSite;
let shop: PortalSite;
beforeAll(async () => {
  site = await openPortalSite();
  shop = await openPortalSite({ payment: SHOP });
});
afterAll(async () => {
  await shop?.close();
  await site?.close();
});

async function mailedCode(email: string, had = 0): Promise<string> {
  const { text } = await site.inbox.next(email, had);
  return /^ *(\d{6})$/m.exec(text ?? '')![1];
}

/** The name of the focused element: its text or its label. */
function focused(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const { activeElement: one } = document;
    return one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent;
  })()`);
}

test('a visitor gets from the first visit to a metered request with a new key', async () => {
  const context = await ofThisTest(
    site.browser.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
    }),
  );
  const { page, asked } = await openWatched(context, site.address);
  await expect.poll(() => page.title()).toBe('Travel-Time Access');
  await page.getByRole('img', { name: 'Map of Port Meridian, XA' }).waitFor();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('census block');
  const { site: price, sites_minimum } = PLANS.charges;
  await page.getByText(`a site ${price} (at least ${sites_minimum})`).waitFor();

  await page.getByRole('link', { name: 'Get an API key' }).click();
  await expect.poll(() => page.title()).toBe('Sign in · Travel-Time Access');
  await page.getByLabel('E-mail address').fill('ada@example.org');
  await page.getByRole('button', { name: 'Send me a code' }).click();
  const code = page.getByLabel('Six-digit code');
  await code.waitFor();
  await expect.poll(() => focused(page)).toBe('Six-digit code');
  expect(await code.getAttribute('autocomplete')).toBe('one-time-code');
  expect(await code.getAttribute('inputmode')).toBe('numeric');
  const digits = await mailedCode('ada@example.org');
  // The code, as copied from a mail.
  await page.evaluate(
    `navigator.clipboard.writeText(' ${digits.slice(0, 3)} ${digits.slice(3)} ')`,
  );
  await page.keyboard.press('Control+V');
  await page.waitForURL(`${site.address}/my`);
  await page.getByText('5,000', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'Create a key' }).click();
  await page.getByLabel('Label: what is it for?').fill('first program');
  await page.getByRole('button', { name: 'Create key' }).click();
  const fresh = page.getByRole('region', { name: 'Your new key' });
  await fresh.waitFor();
  const key = (await fresh.locator('.key-line code').textContent())!;
  expect(key).toMatch(/^ta_live_\w{38}$/);
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByText('Copied: the key').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);

  await page.getByRole('link', { name: 'Make your first request' }).click();
  const path = `/v1/blocks/${site.exampleBlock}/summary?mode=walk`;
  const call = `getBlockSummary({\n  geoid: '${site.exampleBlock}',\n  mode: ['walk'],\n})`;
  const requests = { Python: path, R: path, TypeScript: call, curl: path };
  for (const [language, request] of Object.entries(requests)) {
    await page.getByRole('tab', { name: language, exact: true }).click();
    const shown = await page.getByRole('region', { name: `${language} code` }).textContent();
    expect(shown).toContain(key);
    expect(shown).toContain(request);
  }
  await page.getByRole('button', { name: 'Send' }).click();
  const response = await page.getByText(/^\d+ rows, \d/).textContent();
  const account = (await site.proxy.ledger.accountByEmail('ada@example.org'))!;
  const charged = 5_000 - account.balance;
  expect(charged).toBeGreaterThan(0);
  expect(response).toContain(`${charged} tokens charged`);

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText((5_000 - charged).toLocaleString('en-US'), { exact: true }).waitFor();
  await page.getByText(`${charged} tokens for 1 request in the last 30 days.`).waitFor();
  await page.getByText('View as table').click();
  const row = page.getByRole('row').filter({ hasText: 'browser (pages)' });
  expect(await row.textContent()).toContain('GET /v1/blocks/{geoid}/summary');

  const ours = [site.address, site.apiAddress];
  expect(asked.filter((url) => !ours.some((one) => url.startsWith(one)))).toEqual([]);
  // The key is not stored, and no URL contains the key or a browser token.
  expect(JSON.stringify(await context.storageState({ indexedDB: true }))).not.toContain(key);
  expect(asked.filter((url) => url.includes(key) || url.includes('tb_live_'))).toEqual([]);
});

test('a place is found by its name, by keyboard too', async () => {
  const context = await ofThisTest(site.browser.newContext());
  const { page } = await openWatched(context, site.address);
  await page.getByLabel('City or town').fill('halc');
  await page.getByText('1 place found').waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Halcyon XA');
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: 'Map of Halcyon, XA' }).waitFor();
  await page.getByLabel('City or town').fill('Atlantis');
  await page.getByText('No matching place in this release.').waitFor();
});

test('signing in, creating and revoking a key, and signing out work by keyboard', async () => {
  const context = await ofThisTest(site.browser.newContext());
  const { page } = await openWatched(context, site.address);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Presses the Tab key until an element of that name has the focus. */
  const tabTo = async (name: string) => {
    for (let steps = 0; steps < 40; steps++) {
      await press('Tab');
      if ((await focused(page)) === name) return;
    }
    throw new Error(`Tab does not lead to ${name}`);
  };
  await press('Tab');
  expect(await focused(page)).toBe('Skip to content');
  await press('Enter');
  await tabTo('Get an API key');
  await press('Enter');
  await expect.poll(() => focused(page)).toBe('Sign in');
  await tabTo('E-mail address');
  await page.keyboard.type('keys@example.org');
  await press('Enter');
  await expect.poll(() => focused(page)).toBe('Six-digit code');
  await page.keyboard.type(await mailedCode('keys@example.org'));
  await expect.poll(() => focused(page)).toBe('Overview');
  await loaded(page);
  await tabTo('Create a key');
  await press('Enter');
  await expect.poll(() => focused(page)).toBe('Keys');
  await loaded(page);
  await tabTo('Label: what is it for?');
  await page.keyboard.type('typed');
  await press('Enter');
  await expect.poll(() => focused(page)).toContain('Your new key');
  await page.getByRole('button', { name: 'Revoke typed' }).waitFor();
  await tabTo('Revoke typed');
  await press('Enter');
  await page.getByRole('dialog', { name: 'Revoke typed?' }).waitFor();
  await press('Escape');
  await expect.poll(() => focused(page)).toBe('Revoke typed');
  // The page is notified in a separate task that a dialog has closed.
  await page.locator('dialog').waitFor({ state: 'detached' });
  await press('Enter');
  await page.getByRole('dialog', { name: 'Revoke typed?' }).waitFor();
  await tabTo('Revoke key');
  await press('Enter');
  await page.getByText('Revoked typed.').waitFor();
  await page.getByText('No keys yet.').waitFor();
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Sign out' }).focus();
  await press('Enter');
  await page.waitForURL(`${site.address}/`);
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  const { id } = (await site.proxy.ledger.accountByEmail('keys@example.org'))!;
  expect(await site.proxy.ledger.sessions(id, Date.now())).toEqual([]);
});

test('sign-in errors are explained plainly, and another code can be sent', async () => {
  const context = await ofThisTest(site.browser.newContext());
  const { page } = await openWatched(context, `${site.address}/sign-in`, [400]);
  const send = page.getByRole('button', { name: 'Send me a code' });
  await send.click();
  await page.getByText('Please enter your e-mail address.').waitFor();
  await page.getByLabel('E-mail address').fill('ada');
  await send.click();
  await page.getByText('An e-mail address looks like name@example.org.').waitFor();
  await page.getByLabel('E-mail address').fill('slow@example.org');
  // The countdown uses the page's clock.
  await page.clock.install();
  await send.click();
  const right = await mailedCode('slow@example.org');
  await page.getByLabel('Six-digit code').fill('12');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The code has six digits.').waitFor();
  await page.getByLabel('Six-digit code').fill(right === '000000' ? '000001' : '000000');
  await page.getByText(/^That code did not work\./).waitFor();
  const code = page.getByLabel('Six-digit code');
  await expect.poll(() => code.inputValue()).toBe('');
  await expect.poll(() => code.getAttribute('aria-invalid')).toBe('true');
  await page
    .getByRole('button', { name: /^Send another code in \d+ s$/, disabled: true })
    .waitFor();
  await page.clock.fastForward(31_000);
  await page.getByRole('button', { name: 'Send another code', exact: true }).click();
  await page.getByText('A new code is on its way.').waitFor();
  await page.getByLabel('Six-digit code').fill(await mailedCode('slow@example.org', 1));
  await page.waitForURL(`${site.address}/my`);
});

test('the link of the mail signs in by its button, and leads to the requested page', async () => {
  const context = await ofThisTest(site.browser.newContext());
  const { page } = await openWatched(context, `${site.address}/sign-in?next=/my/keys`);
  await page.getByLabel('E-mail address').fill('link@example.org');
  await page.getByRole('button', { name: 'Send me a code' }).click();
  const { text } = await site.inbox.next('link@example.org');
  await page.goto(/http\S+\/auth\/verify\S+/.exec(text ?? '')![0]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${site.address}/my/keys`);
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
});

test('an account page redirects signed-out visitors to the sign-in, and back', async () => {
  const context = await ofThisTest(site.browser.newContext());
  const { page } = await openWatched(context, `${site.address}/my/plan`, [UNAUTHORIZED]);
  await page.waitForURL(`${site.address}/sign-in?next=/my/plan`);
  await page.getByLabel('E-mail address').fill('back@example.org');
  await page.keyboard.press('Enter');
  await page.getByLabel('Six-digit code').fill(await mailedCode('back@example.org'));
  await page.waitForURL(`${site.address}/my/plan`);
  await page.getByText(/^This service does not sell memberships or token packs/).waitFor();
  expect(await page.getByText('$').count()).toBe(0);
  expect(await page.getByRole('button', { name: /member|Buy/ }).count()).toBe(0);
});

test('membership and packs lead to the checkout', async () => {
  const context = await ofThisTest(shop.signedIn('buyer@example.org'));
  for (const [button, address] of [
    ['Become a member', `${CHECKOUT}/membership`],
    ['Buy 50,000 tokens', `${CHECKOUT}/pack_50k`],
  ]) {
    const { page } = await openWatched(context, `${shop.address}/my/plan`);
    const left = page.waitForRequest((request) => request.url().startsWith(CHECKOUT));
    await page.getByRole('button', { name: button }).click();
    expect((await left).url()).toBe(address);
  }
});

test('an owner signs out another device, and deletes the account', async () => {
  const here = await ofThisTest(site.signedIn('leaving@example.org'));
  const account = (await site.proxy.ledger.accountByEmail('leaving@example.org'))!;
  await site.proxy.ledger.beginSession(account.id, {
    id: 'elsewhere',
    secretHash: 'x',
    startedAtMs: Date.now(),
    address: '192.0.2.1',
    client: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  });
  const { page } = await openWatched(here, `${site.address}/my/account`);
  const activity = page.getByRole('region', { name: 'Activity' });
  await activity.getByText('5,000 tokens for signing up').waitFor();
  expect(await activity.textContent()).not.toMatch(/signup|by you/);
  await page.getByRole('button', { name: /^Sign out Firefox on Linux/ }).click();
  await page.getByRole('button', { name: 'Sign out this device' }).click();
  await page.getByRole('row').filter({ hasText: '192.0.2.1' }).waitFor({ state: 'detached' });
  expect((await site.proxy.ledger.sessions(account.id, Date.now())).length).toBe(1);

  await page.getByRole('button', { name: 'Delete my account …' }).click();
  const last = page.getByRole('button', { name: 'Delete permanently' });
  expect(await last.isDisabled()).toBe(true);
  await page.getByLabel(/^Type/).fill('leaving@example.org');
  await last.click();
  await page.waitForURL(`${site.address}/`);
  expect(await site.proxy.ledger.accountByEmail('leaving@example.org')).toBeUndefined();
});

test('the pages stay up while the API is down, and say so', async () => {
  const context = await ofThisTest(site.browser.newContext());
  await context.route(`${site.apiAddress}/**`, (route) => route.abort());
  const page = await context.newPage();
  await page.goto(site.address);
  await page.getByText('The API is not responding right now.').waitFor();
  await page.getByText(/^Couldn’t load release details\./).waitFor();
  await page.getByRole('link', { name: 'Get an API key' }).click();
  await page.getByLabel('E-mail address').waitFor();
});

test('a script injected into a page does not run', async () => {
  const context = await ofThisTest(site.browser.newContext());
  const { page, wrong } = await openWatched(context, site.address);
  expect(await runsSmuggled(page)).toBe(false);
  await expect.poll(() => wrong).toEqual([expect.stringContaining('Content Security Policy')]);
  wrong.pop();
});
