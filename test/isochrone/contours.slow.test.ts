import { readdir } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { forAll } from '../support/for-all.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { draw, expectSoundContours, type Question } from './drawn-contours.ts';
import { censusBlocks, type Shape } from './judged-contours.ts';

const LEVELS = [5, 12, 30, 60];

let proxy: ProxyHarness;
let key: string;
let areas: ReadonlyMap<string, Shape>;
/** Blocks that every mode can be routed from, with their centres in degrees. */
let origins: { geoid: string; lon: number; lat: number }[];

beforeAll(async () => {
  proxy = await openProxy(inject('demoStore'));
  ({ key } = await proxy.customer({ tokens: 0, member: true }));
  const folder = path.join(inject('demoCity'), 'blocks');
  const zips = (await readdir(folder)).filter((name) => name.endsWith('.zip'));
  areas = await censusBlocks(zips.map((name) => path.join(folder, name)));
  origins = [];
  const release = proxy.releases.current;
  for (const county of Object.values(release.manifest.counties)) {
    const index = await release.index(county);
    for (let i = 0; i < index.count; i++) {
      const isLinked = (['walk', 'bike'] as const).every(
        (mode) => index.link(i, mode).status === 'linked',
      );
      const [lon, lat] = [index.lon[i] / 1e6, index.lat[i] / 1e6];
      if (isLinked) origins.push({ geoid: geoidFromNumber(index.geoids[i]), lon, lat });
    }
  }
});
afterAll(() => proxy.close());

const modes = () => proxy.releases.current.manifest.modes;

const expectSound = async (questions: readonly Question[]) =>
  expectSoundContours(proxy, key, areas, questions);

test('contours are the union of their blocks, valid, nested, wound by RFC 7946, for any origin', () =>
  forAll(
    2,
    fc.uniqueArray(
      fc.record({
        block: fc.constantFrom(...origins.map(({ geoid }) => geoid)),
        mode: fc.constantFrom(...modes()),
        direction: fc.constantFrom('from' as const, 'to' as const),
        contours: fc
          .uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 })
          .map((levels) => levels.sort((a, b) => a - b)),
      }),
      {
        minLength: 6,
        maxLength: 6,
        selector: ({ contours: _, ...rest }) => JSON.stringify(rest),
      },
    ),
    expectSound,
  ));

test('no hole and no crack follows a county line', async () => {
  // The distance to the nearest block of another county measures the distance to the county line.
  const toOther = ({ geoid, lon, lat }: (typeof origins)[number]) =>
    Math.min(
      ...origins
        .filter((other) => other.geoid.slice(0, 5) !== geoid.slice(0, 5))
        .map((other) => Math.hypot(other.lon - lon, other.lat - lat)),
    );
  const nearest = [...origins].sort((a, b) => toOther(a) - toOther(b)).slice(0, 8);
  expect(new Set(nearest.map(({ geoid }) => geoid.slice(0, 5))).size).toBe(2);
  const questions = nearest.map(({ geoid }, i): Question => {
    const direction = i % 2 ? 'from' : 'to';
    return { block: geoid, mode: modes()[i % modes().length], direction, contours: LEVELS };
  });
  const crossing = await Promise.all(
    questions.map(async (question) =>
      (await draw(proxy, key, question)).some(
        ({ blocks }) => new Set(blocks.map((geoid) => geoid.slice(0, 5))).size === 2,
      ),
    ),
  );
  expect(crossing).toEqual(questions.map(() => true));
  await expectSound(questions);
});

test('transit reaches every block that walking reaches, at least as soon', async () => {
  const every = Math.ceil(origins.length / 40);
  for (const { geoid } of origins.filter((_, i) => i % every === 0)) {
    for (const direction of ['from', 'to']) {
      const rows = async (mode: string) => {
        const query = `block=${geoid}&mode=${mode}&direction=${direction}&minutes=60&format=blocks`;
        const { blocks } = (await proxy.get(`/v1/isochrone?${query}`, key)).json();
        return new Map(
          blocks.map((row: { geoid: string; travel_min: number }) => [row.geoid, row.travel_min]),
        ) as Map<string, number>;
      };
      const [walk, transit] = [await rows('walk'), await rows('transit')];
      for (const [reached, minutes] of walk) {
        expect([geoid, reached, (transit.get(reached) ?? 99) <= minutes]).toEqual([
          geoid,
          reached,
          true,
        ]);
      }
    }
  }
});
