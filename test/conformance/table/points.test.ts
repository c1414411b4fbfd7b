import { describe, expect, test } from 'vitest';
import { expectOk, expectRows } from '../api.ts';
import { demoOfTests } from '../demo.ts';

const demo = demoOfTests();

const POIS = '/v1/point/pois';
const at = ({ lon, lat }: { lon: number; lat: number }) => ({ lon, lat });

describe('§4.3 GET /v1/point/pois', () => {
  test('returns {resolved_block, results: [PoiTime], next_cursor}, with the rows of the block', async () => {
    const { api, block } = demo;
    const query = { limit: 20, max_minutes: 12, mode: ['walk'], type: [100, 400] };
    const byPoint = await api.get(POIS, { ...at(block), ...query });
    const byBlock = expectOk(await api.get(`/v1/blocks/${block.geoid}/pois`, query));
    const body = expectRows(byPoint, byBlock.results.length);
    expect(Object.keys(body).sort()).toEqual(['next_cursor', 'resolved_block', 'results']);
    expect([body.resolved_block, body.results]).toEqual([block.geoid, byBlock.results]);
  });
});
