import { describe, expect, test } from 'vitest';
import { expectInvalid, expectOk, expectProblem, expectRows } from '../api.ts';
import { demoOfTests, OPEN_SEA } from '../demo.ts';

const demo = demoOfTests();

const SUMMARY = '/v1/point/summary';
const POIS = '/v1/point/pois';
const at = ({ lon, lat }: { lon: number; lat: number }) => ({ lon, lat });

describe('§4.3 GET /v1/point/summary', () => {
  test('a point in no block is point-not-covered', async () => {
    for (const point of [
      OPEN_SEA,
      { lon: 2.35, lat: 48.85 },
      { lon: 180, lat: 90 },
      { lon: 0, lat: -90 },
    ]) {
      expectProblem(await demo.api.get(SUMMARY, point), 'point-not-covered');
      expectProblem(await demo.api.get(POIS, point), 'point-not-covered');
    }
  });

  test('lat is -90 to 90 and lon -180 to 180, decimal numbers, each given once', async () => {
    const { lon, lat } = at(demo.block);
    for (const path of [SUMMARY, POIS]) {
      for (const bad of [
        90.1,
        -91,
        'NaN',
        'Infinity',
        '',
        ' 36',
        '0x24',
        '36,0',
        'N36',
        [36, 36],
      ]) {
        expectInvalid(await demo.api.get(path, { lon, lat: bad }), 'lat');
      }
      for (const bad of [180.1, -181, 'NaN', '', '70W', [1, 2]]) {
        expectInvalid(await demo.api.get(path, { lon: bad, lat }), 'lon');
      }
    }
  });

  test('no location, or half of one, is refused', async () => {
    const { lon, lat } = at(demo.block);
    for (const path of [SUMMARY, POIS]) {
      for (const query of [{}, { lon }, { lat }]) {
        const { statusCode, body } = await demo.api.get(path, query);
        expect([statusCode, body]).toEqual([
          400,
          expect.stringMatching(/missing-location|invalid-parameters/),
        ]);
      }
    }
  });
});

describe('§4.3 GET /v1/point/pois', () => {
  test('answers {resolved_block, results: [PoiTime], next_cursor}, as the block does', async () => {
    const { api, block } = demo;
    const query = { limit: 20, max_minutes: 12, mode: ['walk'], type: [100, 400] };
    const byPoint = await api.get(POIS, { ...at(block), ...query });
    const byBlock = expectOk(await api.get(`/v1/blocks/${block.geoid}/pois`, query));
    const body = expectRows(byPoint, byBlock.results.length);
    expect(Object.keys(body).sort()).toEqual(['next_cursor', 'resolved_block', 'results']);
    expect([body.resolved_block, body.results]).toEqual([block.geoid, byBlock.results]);
  });

  test('max_minutes is at most 30', async () => {
    for (const max_minutes of [0, 30.5, 'x']) {
      expectInvalid(await demo.api.get(POIS, { ...at(demo.block), max_minutes }), 'max_minutes');
    }
  });
});
