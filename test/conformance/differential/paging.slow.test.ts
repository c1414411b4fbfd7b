import { createHash } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { decodeLatest, encodeLatest } from '../../../shards/release/latest.ts';
import { folderOfTests } from '../../support/temporary-folder.ts';
import { Api, type Call, expectOk, expectProblem } from '../api.ts';
import { type Demo, openDemo } from '../demo.ts';
import { allPages, withCursor } from '../paging.ts';
import { AREAL_QUERY, METERED_GETS } from '../routes.ts';

let demo: Demo;
const folder = folderOfTests();
beforeAll(async () => {
  await cp(inject('demoStore'), folder, { recursive: true });
  const whole = await openDemo();
  await whole.api.close();
  demo = { ...whole, api: await Api.open({ store: folder }) };
});
afterAll(() => demo.api.close());

const PAGINATED = [...METERED_GETS, AREAL_QUERY].filter(
  ({ route }) => !/(access|coverage)$/.test(route),
);
let releases = 0;

/** Promotes the same objects under another label, as a release in which no county has changed. */
async function promote(): Promise<void> {
  const file = (name: string) => path.join(folder, name);
  const latest = decodeLatest(await readFile(file('latest.json')));
  const manifest = JSON.parse(await readFile(file(latest.manifest), 'utf8'));
  const release = `again-${++releases}`;
  const bytes = JSON.stringify({ ...manifest, release });
  const name = `manifests/${release}.json`;
  await writeFile(file(name), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const next = { ...latest, release, manifest: name, sha256 };
  await writeFile(file('latest.json'), encodeLatest(next));
  expect(await demo.api.proxy.releases.refresh()).toBe(true);
}

function limited(call: Call, limit: number): Call {
  return call.body === undefined
    ? { ...call, query: { ...call.query, limit } }
    : { ...call, body: { ...(call.body as object), limit } };
}

/** Adds a filter to a call, which makes it a different query. */
function filtered(call: Call): Call {
  if (call.body !== undefined) return { ...call, body: { ...(call.body as object), type: [601] } };
  const other = call.path.endsWith('/catchment') ? { max_minutes: 29 } : { type: 601 };
  return { ...call, query: { ...call.query, ...other } };
}

describe.each(PAGINATED)('pages of $route', ({ request }) => {
  test('joined, equal the unpaged response, without repeats, whatever their size', async () => {
    const whole = await allPages(demo.api, limited(request(demo), 1000));
    expect(whole.length).toBeGreaterThan(1);
    const size = Math.max(1, Math.ceil(whole.length / 7));
    for (const limit of [size, size + 1]) {
      expect(await allPages(demo.api, limited(request(demo), limit))).toEqual(whole);
    }
    expect(new Set(whole.map((row) => JSON.stringify(row))).size).toBe(whole.length);
  });

  test('end with a null cursor even when the last page is full', async () => {
    const whole = await allPages(demo.api, limited(request(demo), 1000));
    expect(whole.length).toBeLessThanOrEqual(1000);
    const exact = expectOk(await demo.api.call(limited(request(demo), whole.length)));
    expect([exact.results.length, exact.next_cursor]).toEqual([whole.length, null]);
    const short = expectOk(await demo.api.call(limited(request(demo), whole.length - 1)));
    expect(short.next_cursor).not.toBeNull();
  });

  test('continue across a release that is promoted between two of them', async () => {
    const whole = await allPages(demo.api, limited(request(demo), 1000));
    const limit = Math.max(1, Math.ceil(whole.length / 4));
    expect(await allPages(demo.api, limited(request(demo), limit), promote)).toEqual(whole);
  });

  test('a modified cursor, or one of another query, gives invalid-cursor', async () => {
    const call = limited(request(demo), 1);
    const cursor: string = expectOk(await demo.api.call(call)).next_cursor;
    const wrong = [
      '',
      'x',
      `${cursor}A`,
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}=`,
      ` ${cursor}`,
      ...[0, 5, 12, cursor.length - 1].map((at) => {
        return `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      }),
    ];
    for (const bad of wrong) {
      expectProblem(await demo.api.call(withCursor(call, bad)), 'invalid-cursor');
    }
    const other = withCursor(filtered(limited(request(demo), 1)), cursor);
    expectProblem(await demo.api.call(other), 'invalid-cursor');
    expectOk(await demo.api.call(withCursor(call, cursor)));
  });

  test('a cursor continues with any limit', async () => {
    const whole = await allPages(demo.api, limited(request(demo), 1000));
    const { results, next_cursor } = expectOk(await demo.api.call(limited(request(demo), 1)));
    const rest = withCursor(limited(request(demo), 1000), next_cursor);
    expect([...results, ...expectOk(await demo.api.call(rest)).results]).toEqual(whole);
  });

  test('a cursor works with any key', async () => {
    const call = limited(request(demo), 1);
    const cursor: string = expectOk(await demo.api.call(call)).next_cursor;
    const as = await demo.api.newCustomer();
    const [mine, theirs] = [
      await demo.api.call(withCursor(call, cursor)),
      await demo.api.call({ ...withCursor(call, cursor), as }),
    ];
    expect(expectOk(theirs)).toEqual(expectOk(mine));
  });
});

test('a summary has a next_cursor only if limit or cursor was sent', async () => {
  const call = { path: `/v1/blocks/${demo.block.geoid}/summary` };
  const whole = expectOk(await demo.api.call(call));
  expect(whole).not.toHaveProperty('next_cursor');
  const { next_cursor } = expectOk(await demo.api.call(limited(call, 2)));
  const { results } = expectOk(await demo.api.call(withCursor(call, next_cursor)));
  expect(results).toEqual(whole.results.slice(2, 102));
});
