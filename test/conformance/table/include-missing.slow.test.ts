import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { boxRing } from '../../support/rings.ts';
import { demoOfTests, PORT_MERIDIAN } from '../demo.ts';
import { arealWithMissingOf } from '../naive-responses.ts';
import { allPages } from '../paging.ts';
import { isInside } from '../plain-geometry.ts';
import { randomQueries } from '../random-queries.ts';

const demo = demoOfTests();
const random = randomQueries(demo);

const QUERY = '/v1/blocks/query';
const PLACE = `/v1/places/${PORT_MERIDIAN}/blocks`;

/**
 * Half the side, in degrees, of a box around open water that holds blocks with times and blocks
 * without. No block's centre is on its edge.
 */
const HALF = 0.0250005;
const shore = () => {
  const { lon, lat } = demo.water;
  const [west, south, east, north] = [lon - HALF, lat - HALF, lon + HALF, lat + HALF];
  const ring = boxRing(west, south, east, north);
  return { polygon: { type: 'Polygon', coordinates: [ring] } };
};
const shoreBlocks = () => {
  const { lon, lat } = demo.water;
  return demo.release.blocks.filter(
    (block) => Math.abs(block.lon - lon) < HALF && Math.abs(block.lat - lat) < HALF,
  );
};

test('the shore has blocks with times and blocks without', () => {
  const routable = shoreBlocks().filter(({ isRoutable }) => isRoutable);
  expect(routable.length).toBeGreaterThan(20);
  expect(routable.length).toBeLessThan(shoreBlocks().length);
});

test('every block of the area has a row for each type and mode, page by page, charged alike', async () => {
  const { api, release } = demo;
  const query = fc.record({
    mode: random.mode,
    type: random.type.filter((type) => type.length > 0),
    limit: fc.constantFrom(19, 250, 1000),
  });
  await forAll(15, query, async (asked) => {
    // An empty list is an error; an omitted one requests everything.
    const mode = asked.mode.length > 0 ? { mode: asked.mode } : {};
    const { type, limit } = asked;
    const body = { ...shore(), ...mode, type, limit, include_missing: true };
    const rows = await allPages(api, { method: 'POST', path: QUERY, body });
    expect(rows).toEqual(arealWithMissingOf(release, shoreBlocks(), asked));
  });
});

test('every block of a place has a row for each type and mode', async () => {
  const { api, release, place } = demo;
  const asked = { type: [101, 601], mode: ['bike', 'transit'] as const, limit: 1000 };
  const rows = await allPages(api, { path: PLACE, query: { ...asked, include_missing: true } });
  const blocks = release.blocks.filter(({ lon, lat }) => isInside(place.polygons, lon, lat));
  expect(rows).toEqual(arealWithMissingOf(release, blocks, asked));
  expect(rows).toHaveLength(blocks.length * 4);
});

test('CSV has a column of reasons only if rows without a time are requested', async () => {
  for (const include_missing of [true, false]) {
    const body = { ...shore(), type: [101], limit: 1000, include_missing };
    const csv = await demo.api.post(QUERY, body, { headers: { accept: 'text/csv' } });
    const reason = include_missing ? ',reason' : '';
    expect(csv.body.split('\r\n')[0]).toBe(`geoid,dest_type_id,mode_id,mode,travel_time${reason}`);
  }
});

test('without include_missing there are no rows without a time', async () => {
  const { api } = demo;
  const { results } = (await api.get(PLACE, { limit: 1000, include_missing: false })).json();
  for (const row of results) {
    expect(row.travel_time).toEqual(expect.any(Number));
    expect(row).not.toHaveProperty('reason');
  }
});
