import { readFile } from 'node:fs/promises';
import axe, { type AxeResults } from 'axe-core';
import type { BrowserContext, Frame, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** A browser page of one test, all errors in it, and the URLs of its requests. */
export interface WatchedPage {
  readonly page: Page;
  readonly wrong: string[];
  readonly asked: string[];
}

/**
 * Opens a page, and waits until nothing in it indicates that it is loading. Responses with a status
 * in `expected` do not count as errors. The calling test fails if errors are left in `wrong` at its
 * end, and closes the page.
 */
export async function openWatched(
  context: BrowserContext,
  url: string,
  expected: readonly number[] = [],
): Promise<WatchedPage> {
  const page = await context.newPage();
  const [asked, wrong]: [string[], string[]] = [[], []];
  page.on('request', (request) => asked.push(request.url()));
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !expected.includes(status)) wrong.push(`${status}: ${response.url()}`);
  });
  page.on('console', (message) => {
    const isTold = expected.some((status) => message.text().includes(`status of ${status}`));
    const isFault = message.type() === 'error' || message.type() === 'warning';
    // Reading WebGL's pixels back, as software rendering does for each frame, stalls a driver.
    const isOfDriver = message.text().includes('GL Driver Message (OpenGL, Performance');
    if (isFault && !isTold && !isOfDriver) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  onTestFinished(async () => {
    await page.close();
    expect(wrong).toEqual([]);
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  await loaded(page);
  return { page, asked, wrong };
}

/**
 * Waits until nothing in a page indicates that it is loading. On a busy machine, the network may be
 * idle before that.
 */
export async function loaded(page: Page): Promise<void> {
  await expect.poll(() => page.locator('.waiting').count()).toBe(0);
}

/** The texts of all elements of a locator, once there is one: `allTextContents` does not wait. */
export async function textsOf(locator: Locator): Promise<string[]> {
  await locator.first().waitFor({ state: 'attached' });
  return locator.allTextContents();
}

/** The texts of the cells of rows of a table, once there is a row. */
export async function cellsOf(rows: Locator): Promise<string[][]> {
  await rows.first().waitFor({ state: 'attached' });
  return rows.evaluateAll((all) =>
    all.map(({ children }) => [...children].map((cell) => cell.textContent ?? '')),
  );
}

/** Chooses a type of the map by typing the beginning of its name. */
export async function chooseType(page: Page, typed: string, name: RegExp): Promise<void> {
  await page.getByRole('combobox', { name: 'To the nearest' }).fill(typed);
  await page.getByRole('option', { name }).click();
}

/**
 * The faults that axe finds in a page, each with its elements. Colours that are on their way from
 * one to another have a contrast of their own, so transitions end first.
 */
export async function accessFaults(page: Page | Frame): Promise<string[]> {
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map((one) => one.finished)).then(() => {})',
  );
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Presses a button that makes a file. */
export async function savedFile(
  page: Page,
  label: string,
): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: label, exact: true }).click();
  const saved = await saving;
  return { name: saved.suggestedFilename(), bytes: await readFile(await saved.path()) };
}

/** Lines of the CSV of the blocks that the map shows, whose files were not opened before. */
export async function blocksInView(page: Page): Promise<string[]> {
  await page.getByText('Download the blocks in view').click();
  return String((await savedFile(page, 'CSV')).bytes)
    .trimEnd()
    .split('\r\n');
}
