import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { createClient } from '../../portal/client/src/index.ts';
import { exportList, exportPage } from '../../proxy/endpoints/exports.ts';
import { type ExportList, ExportLists } from '../../proxy/exports.ts';
import { CursorSealer } from '../../proxy/http/cursor.ts';
import { LedgerUnavailable } from '../../proxy/ledger/ledger.ts';
import type { ProxyServices } from '../../proxy/services.ts';
import {
  encodeServedExports,
  type ServedExport,
  servedExportsName,
} from '../../shards/release/served-exports.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

/** More counties than a page holds. */
const COUNTIES = Array.from({ length: 1_200 }, (_, i) => String(10_001 + i));
const LISTED = ['blocks', 'nearest', 'nearest_wide'].flatMap((table) =>
  COUNTIES.map((county) => ({ table, county, format: 'parquet' as const })),
);

const folder = folderOfTests();
let proxy: ProxyHarness;
let small: ProxyHarness;

function exported(tables: readonly Pick<ServedExport, 'table' | 'county' | 'format'>[]) {
  return tables.map((one, i): ServedExport => {
    const sha256 = i.toString(16).padStart(64, '0');
    const object = { name: `exports/${i}.parquet`, bytes: 100 + i, sha256 };
    return { ...one, rows: i, object, sums: { ...object, name: `exports/${i}.sums` } };
  });
}

/** A proxy of the demo release with the exports given. */
async function proxyWith(name: string, exports: readonly ServedExport[]): Promise<ProxyHarness> {
  const store = path.join(folder, name);
  await cp(inject('demoStore'), store, { recursive: true });
  const opened = await openProxy(store);
  const { manifest } = opened.releases.current.latest;
  const list = encodeServedExports({ exports, superseded: [] });
  await writeFile(path.join(store, servedExportsName(manifest)), list);
  return opened;
}

beforeAll(async () => {
  const types = { table: 'types', county: null, format: 'parquet' } as const;
  proxy = await proxyWith('large', exported([...LISTED, types]));
  small = await proxyWith('small', exported([LISTED[0], types]));
  return () => Promise.all([proxy.close(), small.close()]);
});

interface Listed {
  readonly table: string;
  readonly county: string | null;
}

const tablesIn = (exports: readonly Listed[]) =>
  exports.map(({ table, county }) => `${table} ${county}`);
const ALL = [...tablesIn(LISTED), 'types null'];

async function pagesOf(query: string): Promise<{ pages: Listed[][]; last: unknown }> {
  const pages: Listed[][] = [];
  let url = `/v1/exports?${query}`;
  for (;;) {
    const { body, headers } = await proxy.get(url);
    const { exports, next_cursor } = JSON.parse(body);
    pages.push(exports);
    expect(headers['x-next-cursor']).toBe(next_cursor ?? undefined);
    if (!next_cursor) return { pages, last: next_cursor };
    const link = /^<(.*)>; rel="next"$/.exec(String(headers.link))![1];
    expect(new URLSearchParams(link).get('cursor')).toBe(next_cursor);
    url = `/v1/exports${link}`;
  }
}

test('a list that fits into a page has no cursor, unless a page is requested', async () => {
  const whole = (await small.get('/v1/exports')).json();
  expect([Object.keys(whole), whole.exports.length]).toEqual([['release', 'exports'], 2]);
  const paged = (await small.get('/v1/exports?limit=2')).json();
  expect(paged).toEqual({ ...whole, next_cursor: null });
});

test('a longer list comes in pages that hold each export once, in order', async () => {
  for (const [query, size] of [
    ['', 1_000],
    ['limit=700', 700],
  ] as const) {
    const { pages, last } = await pagesOf(query);
    expect(tablesIn(pages.flat())).toEqual(ALL);
    expect(last).toBe(null);
    for (const page of pages.slice(0, -1)) expect(page.length).toBe(size);
  }
});

test('a list is narrowed by tables, counties and formats', async () => {
  const [first, second] = COUNTIES;
  const { pages } = await pagesOf(
    `table=nearest&table=blocks&county=${second}&county=${first}&limit=1`,
  );
  expect(tablesIn(pages.flat())).toEqual(
    ['blocks', 'nearest'].flatMap((table) => [`${table} ${first}`, `${table} ${second}`]),
  );
  expect((await pagesOf('format=csv')).pages).toEqual([[]]);
  expect((await pagesOf('county=99999')).pages).toEqual([[]]);
});

test('an unknown table, and the cursor of another list, are refused by name', async () => {
  const wrong = await proxy.get('/v1/exports?table=nearset');
  expect([wrong.statusCode, wrong.body]).toEqual([400, expect.stringContaining('nearest_wide')]);
  const { next_cursor } = (await proxy.get('/v1/exports?table=nearest&limit=1')).json();
  const other = await proxy.get(`/v1/exports?table=blocks&limit=1&cursor=${next_cursor}`);
  expect([other.statusCode, other.json().type]).toEqual([
    400,
    expect.stringContaining('invalid-cursor'),
  ]);
});

test('each page has its own ETag, and a page that a client has is neither made nor sent', async () => {
  const etags = new Set<unknown>();
  for (const query of ['', 'limit=1', 'limit=2', 'table=nearest', 'county=10001']) {
    const url = `/v1/exports?${query}`;
    const { headers, rawPayload } = await proxy.get(url, undefined, { 'accept-encoding': 'gzip' });
    expect(rawPayload.length).toBeGreaterThan(0);
    etags.add(headers.etag);
    const again = await proxy.get(url, undefined, { 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0]);
    expect(again.headers.etag).toBe(headers.etag);
  }
  expect(etags.size).toBe(5);
});

test('a list that has become longer has other ETags, and earlier cursors continue in it', async () => {
  const store = new FolderStore(folder);
  const lists = new ExportLists();
  const sealer = new CursorSealer(() => ['a secret of some length']);
  const all = exported(LISTED.slice(0, 5));
  const listOf = async (name: string, of: readonly ServedExport[]) => {
    const manifest = `manifests/${name}.json`;
    const list = encodeServedExports({ exports: of, superseded: [] });
    await store.putContent(servedExportsName(manifest), list);
    return lists.of(store, manifest);
  };
  const short = await listOf('short', [all[1], all[3]]);
  const long = await listOf('long', all);
  const pageOf = (list: ExportList, cursor?: string) =>
    exportPage('demo', list, { limit: 1, cursor }, sealer);
  const first = pageOf(short);
  const { exports, next_cursor } = first.body as { exports: Listed[]; next_cursor: string };
  expect(tablesIn(exports)).toEqual(tablesIn([LISTED[1]]));
  expect(pageOf(long).etag).not.toBe(first.etag);
  const next = pageOf(long, next_cursor).body as { exports: Listed[] };
  expect(tablesIn(next.exports)).toEqual(tablesIn([LISTED[3]]));
});

test('the client iterates over the pages of a list', async () => {
  const port = await proxy.listen();
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
  const listed: Listed[] = [];
  for await (const one of client.getExports({ table: ['nearest'], limit: 500 }).rows()) {
    listed.push(one);
  }
  expect(tablesIn(listed)).toEqual(ALL.filter((one) => one.startsWith('nearest ')));
});

test('a list of one page is served while the ledger, which has the secrets of cursors, is away', async () => {
  const services = {
    releases: small.releases,
    exports: new ExportLists(),
    cursors: new CursorSealer(() => {
      throw new LedgerUnavailable('away');
    }),
  } as unknown as ProxyServices;
  const listed = async (query: Record<string, unknown>) =>
    exportList.respond(services, { params: {}, query });
  const { body } = await listed({});
  expect(tablesIn((body as { exports: Listed[] }).exports)).toEqual(['blocks 10001', 'types null']);
  await expect(listed({ limit: 1 })).rejects.toThrow(LedgerUnavailable);
});
