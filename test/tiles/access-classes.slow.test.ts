import { expect, test } from 'vitest';
import { AccessClasses, encodeAccessClasses } from '../../shards/access/access-classes.ts';
import { ShardError } from '../../shards/errors.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { columnsByRanges } from './columns-by-ranges.ts';

const proxy = proxyOfTests();

interface Counted {
  readonly of: string;
  readonly direction: string;
  readonly mode: string;
  readonly minutes: number;
  readonly bounds: readonly number[];
}

/** Reads access classes by ranges. */
async function readByRanges(url: string) {
  const read = await columnsByRanges(proxy, url, 'TTAACCS1', ({ blocks }) => blocks);
  return { ...read, counts: read.head.counts as readonly Counted[] };
}

interface Page {
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor: string | null;
}

/** All rows of a paged response. */
async function allRows(url: string): Promise<Page['results']> {
  const rows: Page['results'][number][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const response = await proxy.get(`${url}${cursor && `&cursor=${cursor}`}`, proxy.key);
    const page: Page = response.json();
    rows.push(...page.results);
    cursor = page.next_cursor;
  }
  return rows;
}

test('access classes read by ranges hold the counts that the API returns, by bounds of the release', async () => {
  const { counties } = (await proxy.get('/v1/meta/block-bands')).json();
  const { modes, directions, access } = proxy.releases.current.manifest;
  let bounds: string | null = null;
  for (const { county, blocks, access: listed } of counties) {
    const { head, counts, columns, end } = await readByRanges(listed.url);
    expect([head.county, head.blocks, end]).toEqual([county, blocks, listed.bytes]);
    // POIs are counted from a block only, up to 30 minutes.
    const types = access.filter((of) => of.startsWith('type:')).length;
    expect(types).toBeGreaterThan(0);
    const perWeight = directions.length * 4;
    const columnsByMode = (access.length - types) * perWeight + types * 2;
    expect(counts.length).toBe(columnsByMode * modes.length);
    const mine = JSON.stringify(counts.map((one) => one.bounds));
    bounds ??= mine;
    expect(mine).toBe(bounds);
    const index = await proxy.releases.current.index(proxy.releases.current.county(county)!);
    const ordinals = new Map(
      Array.from(index.geoids, (geoid, i) => [String(geoid).padStart(15, '0'), i]),
    );
    for (const of of access) {
      for (const direction of of.startsWith('type:') ? (['from'] as const) : directions) {
        const url = `/v1/counties/${county}/access?of=${of}&direction=${direction}&limit=1000`;
        const rows = await allRows(url);
        const seen = new Set<string>();
        for (const { geoid, mode, minutes, count } of rows) {
          const i = counts.findIndex(
            (one) =>
              one.of === of &&
              one.direction === direction &&
              one.mode === mode &&
              one.minutes === minutes,
          );
          const block = ordinals.get(geoid as string)!;
          const wanted = 1 + counts[i].bounds.filter((bound) => (count as number) >= bound).length;
          seen.add(`${i} ${block}`);
          if (columns[i][block] !== wanted) {
            expect([geoid, counts[i], count, columns[i][block]]).toBe(wanted);
          }
        }
        for (const [i, one] of counts.entries()) {
          if (one.of !== of || one.direction !== direction) continue;
          for (const [block, found] of columns[i].entries()) {
            if (seen.has(`${i} ${block}`) !== found > 0) expect([one, block]).toBe(found);
          }
        }
      }
    }
  }
});

test('no class is empty over the counties together, and what few minutes reach has six', async () => {
  const { counties } = (await proxy.get('/v1/meta/block-bands')).json();
  const inClass = new Map<number, number[]>();
  let all: readonly Counted[] = [];
  for (const { access } of counties) {
    const { counts, columns } = await readByRanges(access.url);
    all = counts;
    for (const [i, column] of columns.entries()) {
      const sums = inClass.get(i) ?? new Array(8).fill(0);
      for (const one of column) sums[one]++;
      inClass.set(i, sums);
    }
  }
  for (const [i, sums] of inClass) {
    const { of, bounds, mode, minutes } = all[i];
    const filled = sums.slice(1, 2 + bounds.length);
    // Where an hour reaches the whole city, the counts of all blocks have the same two digits.
    const least = bounds.length === 1 ? filled[1] : Math.min(...filled);
    expect([all[i], least > 0]).toEqual([all[i], true]);
    expect(sums.slice(2 + bounds.length).every((one) => one === 0)).toBe(true);
    const isOfType = of.startsWith('type:');
    if (mode === 'walk' && minutes === 15 && !isOfType)
      expect([all[i], bounds.length]).toEqual([all[i], 5]);
  }
});

test('access classes are a small part of a release', async () => {
  const { manifest } = proxy.releases.current;
  const counties = Object.values(manifest.counties);
  const sum = (of: readonly { readonly bytes: number }[]) =>
    of.reduce((total, { bytes }) => total + bytes, 0);
  const classes = sum(counties.flatMap((one) => Object.values(one.access_classes!)));
  const matrices = sum(
    counties.flatMap(({ objects }) => Object.values(objects) as { readonly bytes: number }[]),
  );
  expect(classes / matrices).toBeLessThan(0.02);
});

test('a damaged object of access classes is refused, and names what is wrong', async () => {
  const counts = [
    { of: 'jobs', direction: 'from', mode: 'walk', minutes: 30, bounds: [10, 20] } as const,
  ];
  const bytes = await encodeAccessClasses('99001', counts, [Uint8Array.of(0, 1, 3, 2, 2)]);
  const read = new AccessClasses('tiles/x', bytes);
  expect([...read.column(0)]).toEqual([0, 1, 3, 2, 2]);
  expect(read.head.counts).toEqual(counts);
  expect(() => new AccessClasses('tiles/x', bytes.subarray(0, -1))).toThrow(ShardError);
  expect(() => new AccessClasses('tiles/x', Buffer.from('TTABAND1....'))).toThrow(
    /not access classes/,
  );
});
