import { describe, expect, test } from 'vitest';
import { expectOk } from '../api.ts';
import { demoOfTests } from '../demo.ts';

const demo = demoOfTests();

const post = (path: string, body: object) => demo.api.post(path, body);

function routable(count: number) {
  return demo.release.blocks.filter(({ isRoutable }) => isRoutable).slice(100, 100 + count);
}
const geoids = (count: number) => routable(count).map(({ geoid }) => geoid);

describe('POST /v1/blocks/summary', () => {
  const path = '/v1/blocks/summary';

  test('a GEOID that is not 15 digits is that origin’s block-not-found, echoed as sent', async () => {
    const malformed = ['99001', '', 'x', `${demo.block.geoid} `, '٩٩٠٠١٠٠٠١٠٠١٠٠٠'];
    const origins = [malformed, demo.block.geoid, '9'.repeat(5_000)].flat();
    const body = expectOk(await post(path, { origins, type: [101] }));
    expect(body.blocks.map(({ geoid }: { geoid: string }) => geoid)).toEqual([demo.block.geoid]);
    expect(body.errors.map(({ type, geoid }: Record<string, string>) => [type, geoid])).toEqual(
      [...malformed, `${'9'.repeat(39)}…`].map((geoid) => ['block-not-found', geoid]),
    );
  });

  test('a numeric GEOID is read by its digits; without its leading zero only that origin fails', async () => {
    const origins = [Number(demo.block.geoid), Number(demo.block.geoid.slice(1))];
    const body = expectOk(await post(path, { origins, type: [101] }));
    expect(body.blocks.map(({ geoid }: { geoid: string }) => geoid)).toEqual([demo.block.geoid]);
    expect(body.errors).toMatchObject([{ type: 'block-not-found', geoid: String(origins[1]) }]);
  });
});

describe('POST /v1/blocks/pois', () => {
  const path = '/v1/blocks/pois';

  test('takes dest_id', async () => {
    const dest_id = [demo.poi.dest_id];
    const body = expectOk(await post(path, { origins: [demo.block.geoid], dest_id }));
    expect(new Set(body.results.map((row: { dest_id: number }) => row.dest_id))).toEqual(
      new Set(dest_id),
    );
  });

  test('past 50,000 rows whole origins are listed in truncated with row-budget', async () => {
    const origins = [...geoids(249), demo.water.geoid];
    const body = expectOk(await post(path, { origins }));
    expect([body.truncated_reason, body.errors]).toEqual(['row-budget', []]);
    const fits: string[] = [];
    let rows = 0;
    for (const geoid of origins) {
      rows += demo.release.times.get(geoid)!.length;
      if (rows > 50_000) break;
      fits.push(geoid);
    }
    const delivered = new Set(body.results.map((row: { geoid: string }) => row.geoid));
    expect([...delivered]).toEqual(fits);
    expect(body.truncated).toEqual(origins.slice(fits.length));
  });
});

describe('POST /v1/pois/catchment', () => {
  const path = '/v1/pois/catchment';

  test('the member block restricts the rows to the given blocks', async () => {
    const block = [Number(demo.block.geoid)];
    const body = expectOk(await post(path, { dest_ids: [demo.poi.dest_id], block }));
    for (const row of body.results) expect(row.geoid).toBe(demo.block.geoid);
    expect(body.results.length).toBeGreaterThan(0);
  });
});
