import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sharedChromium } from '../support/chromium.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { clientTests } from './client-harness.ts';

const tests = clientTests();
const GEOID = '990010001002042';

/** Serves an empty page with the built client next to it, on an origin of its own. */
async function site(): Promise<string> {
  const server = createServer(async ({ url = '' }, reply) => {
    const file = path.resolve('portal/client/dist', url.slice(1));
    const isScript = url.endsWith('.js');
    reply.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    reply.end(isScript ? await readFile(file) : '<!doctype html>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/**
 * Program of the page: a lookup, which the store makes free when repeated, a batch and an error.
 */
const program = (baseUrl: string, apiKey: string) => `(async () => {
  const { ApiError, browserStore, createClient } = await import('/index.js');
  const client = createClient({ baseUrl: '${baseUrl}', apiKey: '${apiKey}', store: browserStore() });
  const { data, tokens } = await client.getBlockSummary({ geoid: '${GEOID}', mode: ['walk'] });
  let rows = 0;
  const batch = { origins: Array(251).fill('${GEOID}'), mode: ['walk'], type: [101] };
  for await (const row of client.getBlockSummaries(batch).rows()) rows++;
  const error = await client.getPoi({ dest_id: 1 }).catch((error) => error);
  const slug = error instanceof ApiError && error.slug;
  return { results: data.results, charged: tokens.charged, rows, slug };
})()`;

test('in a browser, batches, errors and repeats across reloads work', async () => {
  const { key, spent } = await tests.customer();
  const page = await ofThisTest((await sharedChromium()).newPage());
  const url = await site();
  await page.goto(url);
  const run = () => page.evaluate<{ charged: number }>(program(tests.baseUrl, key));
  const first = await run();
  const { results } = await tests.plain(`/v1/blocks/${GEOID}/summary?mode=walk`);
  expect(first).toMatchObject({ results, rows: 251, slug: 'poi-not-found' });
  expect(await spent()).toBe(first.charged + 251);
  await page.goto(url);
  expect(await run()).toMatchObject({ results, charged: 0 });
});
