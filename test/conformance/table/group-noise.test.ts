import { expect, test } from 'vitest';
import { expectOk } from '../api.ts';
import { demoOfTests } from '../demo.ts';

const demo = demoOfTests();

interface Row {
  readonly total: number;
  readonly no_data: number;
  readonly share: Readonly<Record<string, number | null>>;
  readonly ratio: Readonly<Record<string, number | null>>;
  readonly gini: number | null;
}

test('groups of fewer than 100 people have no shares, unless they are asked for', async () => {
  const one = { area: { blocks: [demo.block.geoid] }, type: [101], by: ['hispanic', 'asian'] };
  const rows = async (body: object): Promise<Row[]> =>
    expectOk(await demo.api.post('/v1/coverage', body)).results;
  const isStated = ({ share }: Row) => Object.values(share).some((value) => value !== null);
  let [few, many] = [0, 0];
  const city = { ...one, area: { places: [demo.place.geoid] } };
  for (const row of [...(await rows(one)), ...(await rows(city))]) {
    const isSmall = row.total - row.no_data < 100;
    if (isSmall) few++;
    else many++;
    expect([isStated(row), row.gini === null]).toEqual([!isSmall, isSmall]);
  }
  expect([few > 0, many > 0]).toEqual([true, true]);
  const asked = await rows({ ...one, small: true });
  expect(asked.some(isStated)).toBe(true);
  const sums = (list: Row[]) => list.map(({ share, ratio, gini, ...rest }) => rest);
  expect(sums(asked)).toEqual(sums(await rows(one)));
});

test('weights of the census and of LODES state their noise, with its source', async () => {
  const { weights } = (await demo.api.get('/v1/meta/weights', {}, { as: null })).json();
  for (const { weight, source, noise } of weights) {
    const isKnown = /^(Census 2020|LODES 8)/.test(source) && weight !== 'housing_units';
    expect([weight, noise !== null]).toEqual([weight, isKnown]);
    if (!isKnown) continue;
    expect(noise.method).toMatch(/\.$/);
    expect(noise.typical_error.length).toBeGreaterThan(1);
    for (const error of noise.typical_error) {
      expect(Object.keys(error)).toEqual(['counts', 'error', 'source']);
    }
  }
  expect(weights.map(({ weight }: { weight: string }) => weight)).toContain('jobs');
});
