import { PAGE_PATHS } from '../../portal/page-paths.ts';
import { openChromium, SOFTWARE_GL } from '../support/chromium.ts';
import { startDemo } from './demo-service.ts';

/**
 * Takes the README's picture: the map of the demo city, minutes on foot to the nearest library. Its
 * argument is the JPEG file.
 */
const [file = 'infra/docs/map.jpg'] = process.argv.slice(2);
const QUALITY = 82;

const service = await startDemo(process.env.VAR_DIR ?? 'var');
const browser = await openChromium(...SOFTWARE_GL);
try {
  const viewport = { width: 1200, height: 780 };
  const page = await browser.newPage({ viewport, colorScheme: 'light' });
  await page.goto(`${service.portal}${PAGE_PATHS.map}#x=1&m=walk&t=601`);
  await page.locator('[data-drawn]').waitFor();
  await page.getByText('people in view are within').waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: file, type: 'jpeg', quality: QUALITY });
} finally {
  await browser.close();
  await service.stop();
}
