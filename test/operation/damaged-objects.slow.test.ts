import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { publishExports } from '../../builder/export/publish-exports.ts';
import { silent } from '../../builder/progress.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { readServedExports } from '../../shards/release/served-exports.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { openCustomer, withLedger } from '../support/account-totals.ts';
import { releaseIn } from '../support/release-in.ts';
import { startServer } from '../support/server-process.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { commandsOfTests, TTA } from '../support/tta.ts';

const COUNTY = '99001';
const folder = folderOfTests();
const runIn = commandsOfTests();
const root = path.join(folder, 'store');
const store = new FolderStore(root);
const request = { tables: ['reach', 'types'], counties: [COUNTY], format: 'parquet' } as const;

beforeAll(async () => {
  await cp(inject('demoStore'), root, { recursive: true });
  await publishExports(await releaseIn(store), request, store, silent);
});

/** Inverts the bytes of an object from an offset on, for the duration of a test. */
async function damage(name: string, from: number): Promise<void> {
  const file = path.join(root, name);
  const bytes = await readFile(file);
  await writeFile(
    file,
    bytes.map((byte, i) => (i < from ? byte : 0xff - byte)),
  );
  ofThisTest({ stop: () => writeFile(file, bytes) });
}

/** Offset of bytes that are read only after the head of a response has been sent. */
const PAST_HEAD = 2 ** 15;

/**
 * Finds the largest export, which has more bytes than are read before the head of a response is
 * sent.
 */
async function largestExport() {
  const { latest } = await releaseIn(store);
  const { exports: all } = await readServedExports(store, latest.manifest);
  const largest = all.toSorted((a, b) => b.object.bytes - a.object.bytes)[0];
  expect(largest.object.bytes).toBeGreaterThan(PAST_HEAD);
  return largest;
}

/** Serves the store. `figure` returns a sample of its metrics, or 0 if there is none. */
async function served() {
  const ledger = path.join(folder, 'ledger');
  const { key } = await withLedger(ledger, (open) => openCustomer(open, { tokens: 100_000 }));
  const args = ['serve', '--store', root, '--ledger', `sqlite:${ledger}`];
  const ports = ['--port', '0', '--metrics-port', '0'];
  const server = await ofThisTest(startServer([TTA, ...args, ...ports], { LOG_LEVEL: 'error' }));
  await expect.poll(() => server.said()).toMatch(/metrics on http/);
  const metrics = /metrics on (http:\S+\d)/.exec(server.said())?.[1];
  const figure = async (sample: string) => {
    const text = await (await fetch(`${metrics}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
    return Number(line?.slice(sample.length) ?? 0);
  };
  const logged = () =>
    server
      .said()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const headers = { authorization: `Bearer ${key}` };
  const ask = (url: string, init: RequestInit = {}) =>
    fetch(new URL(url, server.address), { ...init, headers: { ...headers, ...init.headers } });
  return { ask, figure, logged };
}

const requests = (route: string, status: number) =>
  `tta_http_requests_total{route="${route}",status="${status}"}`;

test('each request that fails at a damaged object counts by the kind of object, and not as a failed read', async () => {
  const release = await releaseIn(store);
  const { manifest } = release.counties.find(({ fips }) => fips === COUNTY)!;
  const index = await release.index(manifest);
  const linked = index.geoids.filter((_, i) => index.isRoutable(i));
  await damage(manifest.objects.nearest.name, manifest.objects.nearest.bytes / 2);
  const { ask, figure, logged } = await served();
  const last = `/v1/blocks/${geoidFromNumber(linked.at(-1)!)}/summary`;
  for (const wanted of [1, 2]) {
    expect((await ask(last)).status).toBe(503);
    expect(await figure('tta_store_damaged_total{kind="nearest"}')).toBe(wanted);
  }
  expect(await figure('tta_store_failures_total{kind="nearest"}')).toBe(0);
  expect(logged()[0].err.message).toContain(manifest.objects.nearest.name);
});

test.each([
  ['exports', 'GET /exports/{manifestStem}/{file}', 'run tta export --store'],
  ['tiles', 'GET /tiles/{archive}', 'build the release again'],
])(
  'damage that breaks off a download of %s counts as a fault of the server, and is logged',
  async (kind, route, remedy) => {
    const { ask, figure, logged } = await served();
    const { name, url } = await downloadOf(kind, ask);
    await damage(name, PAST_HEAD);
    const response = await ask(url);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    await expect.poll(() => figure(requests(route, 503))).toBe(1);
    expect(await figure(requests(route, 0))).toBe(0);
    expect(await figure(`tta_store_damaged_total{kind="${kind}"}`)).toBe(1);
    await expect.poll(logged).toHaveLength(1);
    const [{ err }] = logged();
    expect(err.message).toContain(name);
    expect(err.message).toContain(remedy);
  },
);

/**
 * Returns the name and URL of a public archive of tiles, or of an export that has been paid for.
 */
async function downloadOf(
  kind: string,
  ask: (url: string, init: RequestInit) => Promise<Response>,
) {
  if (kind === 'tiles') {
    const archives = Object.values((await releaseIn(store)).manifest.tiles);
    const { name, bytes } = archives
      .map(({ archive }) => archive)
      .toSorted((a, b) => b.bytes - a.bytes)[0];
    expect(bytes).toBeGreaterThan(PAST_HEAD);
    return { name, url: `/${name}` };
  }
  const { object, table, county } = await largestExport();
  const body = JSON.stringify({ table, county, format: 'parquet' });
  const headers = { 'content-type': 'application/json' };
  const link = await ask('/v1/exports/links', { method: 'POST', headers, body });
  expect(link.status).toBe(201);
  const { url } = z.object({ url: z.string() }).parse(await link.json());
  return { name: object.name, url: url.slice(new URL(url).origin.length) };
}

test('a client that leaves during a download is no fault of the server', async () => {
  const { archive } = (await releaseIn(store)).manifest.tiles.blocks;
  const { ask, figure } = await served();
  const leaving = new AbortController();
  const response = await ask(`/${archive.name}`, { signal: leaving.signal });
  expect(response.status).toBe(200);
  leaving.abort();
  await response.arrayBuffer().catch(() => {});
  const route = 'GET /tiles/{archive}';
  const ended = async () =>
    (await figure(requests(route, 0))) + (await figure(requests(route, 200)));
  await expect.poll(ended).toBe(1);
  expect(await figure(requests(route, 503))).toBe(0);
});

test('a release is verified together with its exports', async () => {
  const { object } = await largestExport();
  const verify = () => runIn({}, 'release', 'verify', '--store', root);
  expect(await verify()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ [1-9]\d* of them of exports/),
  });
  await damage(object.name, PAST_HEAD);
  const { code, stdout, stderr } = await verify();
  expect([code, stdout, stderr]).toEqual([
    1,
    expect.stringContaining(object.name),
    expect.stringContaining('run tta export --store'),
  ]);
  expect(stderr).not.toContain('rebuild');
  await publishExports(await releaseIn(store), request, store, silent);
  expect(await verify()).toMatchObject({ code: 0 });
});

test('a store is not taken for a folder of exports', async () => {
  const { code, stderr } = await runIn({}, 'export', 'verify', root);
  expect([code, stderr]).toEqual([1, expect.stringContaining('tta release verify --store')]);
});
