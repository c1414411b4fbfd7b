import type { Page } from 'playwright-core';
import { EMBED_PATH, PAGE_PATHS } from '../../portal/page-paths.ts';
import type { DemoService } from './demo-service.ts';

/** A page as a picture shows it. */
export interface View {
  readonly name: string;
  /** Address without the portal's; another server's starts with `http`. */
  readonly path: string;
  readonly isSignedIn?: boolean;
  /** Breaks something before the page is opened. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Presses and clicks before the picture. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** Whether all of the page is in the picture, not only what the window shows. */
  readonly isWhole?: boolean;
}

const BASKET = 'k=walk-101-15,bike-601-10,walk-512-10';

/** Presses the button whose name begins with `label`, and waits until tokens are charged. */
const buy = (label: string) => async (page: Page) => {
  await page.getByRole('button', { name: new RegExp(`^${label}`) }).click();
  await page
    .getByText(/charged.* left\.$/)
    .first()
    .waitFor();
};

const drawn = (page: Page) => page.locator('[data-drawn]').waitFor();

/** All views, by name. */
export function viewsOf({ block, api }: DemoService): readonly View[] {
  const map = (fragment: string) => `${PAGE_PATHS.map}#x=1&${fragment}`;
  return [
    { name: 'front', path: PAGE_PATHS.front, isWhole: true },
    { name: 'sign-in', path: PAGE_PATHS.signIn },
    { name: 'docs', path: `${api}/docs` },
    { name: 'not-found', path: '/no-such-page' },
    { name: 'map', path: PAGE_PATHS.map, act: drawn },
    { name: 'map-transit', path: map('m=transit&t=601'), act: drawn },
    {
      name: 'map-block',
      path: map(`m=walk&t=101&b=${block}`),
      isSignedIn: true,
      act: buy('Minutes'),
    },
    {
      name: 'map-reach',
      path: map(`v=reach&o=${block}&m=transit&min=35`),
      isSignedIn: true,
      act: buy('Load'),
    },
    { name: 'map-basket', path: map(`v=basket&${BASKET}`), isSignedIn: true, act: buy('Exact') },
    { name: 'map-met', path: map(`v=basket&c=met&${BASKET}`), act: drawn },
    {
      name: 'map-compare',
      path: map(`v=compare&o=${block}&m2=bike&min=15`),
      isSignedIn: true,
      act: async (page) => {
        await buy('Load A')(page);
        await buy('Load B')(page);
      },
    },
    { name: 'map-access', path: map('v=access'), act: drawn },
    { name: 'map-changes', path: map('v=changes'), act: drawn },
    { name: 'map-catchment', path: map('v=catchment'), act: drawn },
    { name: 'map-sites', path: map('v=sites'), act: drawn },
    {
      name: 'map-share',
      path: map(`m=walk&t=101&b=${block}`),
      act: (page) => page.locator('.share > summary').click(),
    },
    { name: 'map-wrong-address', path: map('m=rocket&t=999999&map=99/1/1&zz=1'), act: drawn },
    {
      name: 'map-too-expensive',
      path: map(`v=reach&o=${block}`),
      act: async (page) => {
        await page.getByRole('button', { name: /^Load/ }).click();
      },
    },
    { name: 'map-still', path: map(`m=walk&t=101`), before: withoutWebGl },
    {
      name: 'map-no-tiles',
      path: map('m=walk&t=101'),
      before: (page) => page.route('**/tiles/**', (route) => route.abort()),
    },
    {
      name: 'map-no-api',
      path: map('m=walk&t=101'),
      before: (page) => page.route(`${api}/**`, (route) => route.abort()),
    },
    { name: 'embed', path: `${EMBED_PATH}#x=1&m=walk&t=101`, act: drawn },
    ...(['overview', 'keys', 'firstRequest', 'plan', 'account'] as const).map((name) => ({
      name: `my-${name}`,
      path: PAGE_PATHS[name],
      isSignedIn: true,
      isWhole: true,
    })),
  ];
}

function withoutWebGl(page: Page): Promise<unknown> {
  return page.addInitScript('HTMLCanvasElement.prototype.getContext = () => null');
}
