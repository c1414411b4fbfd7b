import { cp } from 'node:fs/promises';
import { beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { publishExports } from '../../builder/export/publish-exports.ts';
import { silent } from '../../builder/progress.ts';
import { collectGarbage } from '../../builder/publish/collect-garbage.ts';
import type { GeoParquetVersion } from '../../shards/parquet/table.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const PATH = '/v1/exports/links';

const folder = folderOfEachTest();
const ledger = folderOfEachTest();

async function open(): Promise<ProxyHarness> {
  const proxy = await openProxy(folder, { ledger: `sqlite:${ledger}` });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** The path and query of a link, since tests have no socket. */
const local = (url: string) => url.slice(new URL(url).origin.length);
const isBlocks = ({ table }: { readonly table: string }) => table === 'blocks';

const blocks = { table: 'blocks', county: '99001', format: 'parquet' };
const idempotent = { 'idempotency-key': 'blocks' };
let store: FolderStore;
let key: string;
let first: { url: string; sha256: string };

async function exportBlocks(geoparquet: GeoParquetVersion) {
  const wanted = { tables: ['blocks'], counties: ['99001'], format: 'parquet' } as const;
  await publishExports(await releaseIn(store), { ...wanted, geoparquet }, store, silent);
}

/** The exported files that garbage collection would remove if they were old enough. */
async function garbage(): Promise<string[]> {
  const options = { keep: 0, graceHours: 0, dryRun: true };
  const { remove } = await collectGarbage(store, options, new Date(Date.now() + 3_600_000));
  return remove.map(({ name }) => name).filter((name) => /^exports.*parquet$/.test(name));
}

beforeEach(async () => {
  await cp(inject('demoStore'), folder, { recursive: true });
  store = await ofThisTest(new FolderStore(folder));
  await exportBlocks('2.0');
  const proxy = await open();
  ({ key } = await proxy.customer({ tokens: 5_000 }));
  const response = await proxy.post(PATH, key, blocks, idempotent);
  expect(response.statusCode).toBe(201);
  first = response.json();
  await exportBlocks('1.1');
});

test('once a table is exported as another file, that file is offered, and links to the first still work and renew', async () => {
  const proxy = await open();
  const { exports } = (await proxy.get('/v1/exports')).json();
  const offered = exports.filter(isBlocks);
  expect(offered.length).toBe(1);
  expect(offered[0].sha256).not.toBe(first.sha256);
  const renewed = await proxy.post(PATH, key, blocks, idempotent);
  expect([renewed.statusCode, renewed.json().sha256]).toEqual([201, first.sha256]);
  for (const { url } of [first, renewed.json()]) {
    const file = await proxy.get(local(url));
    expect([file.statusCode, file.headers.etag]).toEqual([200, `"${first.sha256}"`]);
  }
  expect(await garbage()).toEqual([]);
});

test('a file that was replaced is offered again once it is exported again', async () => {
  await exportBlocks('2.0');
  const { exports } = (await (await open()).get('/v1/exports')).json();
  expect(exports.filter(isBlocks)).toMatchObject([{ sha256: first.sha256 }]);
});

test('after an export on another day, a file that was replaced may be removed', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await exportBlocks('1.1');
  expect(await garbage()).toEqual([expect.stringContaining(first.sha256.slice(0, 16))]);
});
