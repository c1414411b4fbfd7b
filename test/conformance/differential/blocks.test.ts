import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRows } from '../api.ts';
import { type Demo, openDemo } from '../demo.ts';
import { poisOf, summaryOf, unroutedOf } from '../naive-answers.ts';
import { allPages } from '../paging.ts';
import { randomQueries } from '../random-queries.ts';

let demo: Demo;
let random: ReturnType<typeof randomQueries>;
beforeAll(async () => {
  demo = await openDemo();
  random = randomQueries(demo);
});
afterAll(() => demo.api.close());

test('a summary is what the plain arrays say', async () => {
  const { api, release } = demo;
  const query = fc.record({ mode: random.mode, type: random.type });
  await fc.assert(
    fc.asyncProperty(random.block, query, async (block, { mode, type }) => {
      const results = summaryOf(release, block.geoid, { mode, type });
      const answer = await api.get(`/v1/blocks/${block.geoid}/summary`, { mode, type });
      const { geoid, population, land_area_m2 } = block;
      expect(expectRows(answer, results.length)).toEqual({
        block: { geoid, population, land_area_m2 },
        results,
        ...unroutedOf(release, block, { mode }),
      });
    }),
    { numRuns: 100 },
  );
});

test('the pages of a block’s places, joined, are what the plain arrays say', async () => {
  const { api, release } = demo;
  const query = fc.record({
    ...{ mode: random.mode, type: random.type, dest_id: random.destIds },
    max_minutes: random.maxMinutes,
    limit: fc.constantFrom(17, 100, 333, 1000),
  });
  await fc.assert(
    fc.asyncProperty(random.block, query, async ({ geoid }, asked) => {
      const rows = await allPages(api, { path: `/v1/blocks/${geoid}/pois`, query: asked });
      expect(rows).toEqual(poisOf(release, geoid, asked));
    }),
    { numRuns: 60 },
  );
});
