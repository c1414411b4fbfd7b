import fc from 'fast-check';
import { beforeAll, expect, inject, test } from 'vitest';
import { forAll } from '../../support/for-all.ts';
import { expectProblem } from '../api.ts';
import { demoOfTests, OPEN_SEA } from '../demo.ts';
import { matchesOf } from '../naive-coverage.ts';
import { blockAt, type NaiveReaches, readNaiveReach } from '../naive-release.ts';
import { allPages } from '../paging.ts';
import { randomQueries } from '../random-queries.ts';

const demo = demoOfTests();
const random = randomQueries(demo);
let reaches: NaiveReaches;
beforeAll(async () => {
  reaches = await readNaiveReach(demo.api.proxy.releases.current, inject('demoStore'));
});

const PATH = '/v1/blocks/match';
const ALL_OF = [{ type: 100, mode: 'walk' as const, max_minutes: 30, nth: 1 }];
const counties = () => [...new Set(demo.release.blocks.map(({ geoid }) => geoid.slice(0, 5)))];

test('matching blocks are near all points, by the times between blocks', async () => {
  const { api, release } = demo;
  const anchor = fc.record({
    at: random.routableBlock.map(({ lon, lat }) => ({ lon, lat })),
    mode: fc.constantFrom(...release.modes),
    direction: fc.constantFrom('from' as const, 'to' as const),
    max_minutes: fc.integer({ min: 1, max: 60 }),
  });
  await forAll(10, fc.array(anchor, { minLength: 1, maxLength: 4 }), async (anchors) => {
    const homes = anchors.map(({ at }) => blockAt(release, at.lon, at.lat));
    fc.pre(homes.every((home) => home !== undefined));
    const isNear = (geoid: string) =>
      anchors.every(({ mode, direction, max_minutes }, i) =>
        reaches[direction]
          .get(homes[i]!.geoid)
          ?.some(
            (row) =>
              row.mode === mode &&
              (direction === 'to' ? row.from : row.to) === geoid &&
              row.minutes <= max_minutes,
          ),
      );
    const near = anchors.map(({ at, ...rest }) => ({ ...at, ...rest }));
    const body = { area: { counties: counties() }, all_of: ALL_OF, near, limit: 1000 };
    const rows = await allPages(api, { method: 'POST', path: PATH, body });
    expect(rows).toEqual(
      matchesOf(
        release,
        release.blocks.filter(({ geoid }) => isNear(geoid)),
        ALL_OF,
      ),
    );
  });
});

test('a point outside the data is refused, uncharged', async () => {
  const near = [{ ...OPEN_SEA, mode: 'walk', max_minutes: 10 }];
  const body = { area: { counties: counties() }, all_of: ALL_OF, near };
  expectProblem(await demo.api.post(PATH, body), 'point-not-covered');
});
