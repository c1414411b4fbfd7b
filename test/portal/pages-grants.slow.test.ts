import { expect, test } from 'vitest';
import { PAGE_PATHS } from '../../portal/page-paths.ts';
import { openPortalSite } from '../support/portal-site.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { openWatched } from '../support/watched-page.ts';

const LIMITS = { perDay: 500, perNetwork: 500, perDomain: 500 };
const TOKENS = /5,000 (free )?tokens/;

test('without sign-up grants no page promises any, and an owner’s pages state that there are none', async () => {
  const config = { signupGrants: { ...LIMITS, perDay: 0 } };
  const site = await ofThisTest(openPortalSite({ config }));
  const visitor = await ofThisTest(site.browser.newContext());
  for (const path of [PAGE_PATHS.front, PAGE_PATHS.signIn]) {
    const { page } = await openWatched(visitor, `${site.address}${path}`);
    await expect.poll(() => page.getByText(TOKENS).count()).toBe(0);
  }
  const owner = await site.signedIn('ada@example.org');
  for (const path of [PAGE_PATHS.overview, PAGE_PATHS.keys, PAGE_PATHS.plan]) {
    const { page } = await openWatched(owner, `${site.address}${path}`);
    await page.getByRole('status').filter({ hasText: 'Free tokens are not available' }).waitFor();
  }
});

test('with sign-up grants pages promise them, and do not mention them to an owner who has one', async () => {
  const site = await ofThisTest(openPortalSite({ config: { signupGrants: LIMITS } }));
  const visitor = await ofThisTest(site.browser.newContext());
  for (const path of [PAGE_PATHS.front, PAGE_PATHS.signIn]) {
    const { page } = await openWatched(visitor, `${site.address}${path}`);
    await page.getByText(TOKENS).first().waitFor();
  }
  const owner = await site.signedIn('ada@example.org');
  const { page } = await openWatched(owner, `${site.address}${PAGE_PATHS.overview}`);
  await page.getByText('5,000', { exact: true }).first().waitFor();
  expect(await page.getByText('free tokens').count()).toBe(0);
});

test('an owner whose free tokens are delayed reads why and until when', async () => {
  const config = { signupGrants: { ...LIMITS, perNetwork: 1 } };
  const site = await ofThisTest(openPortalSite({ config }));
  await site.signedIn('first@example.org');
  const owner = await site.signedIn('ada@example.org');
  const { page } = await openWatched(owner, `${site.address}${PAGE_PATHS.overview}`);
  const notice = page.getByRole('status').filter({ hasText: 'free tokens will be added later' });
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000);
  const day = tomorrow.toLocaleDateString('en-US', { month: 'short', day: 'numeric' });
  await notice.filter({ hasText: `They are due on ${day}, ${tomorrow.getFullYear()}` }).waitFor();
});
