import { afterAll, beforeAll, test } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { BALTIMORE_BLOCKS } from '../support/baltimore.ts';
import { baltimoreStore } from '../support/baltimore-release.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { expectSoundContours, type Question } from './drawn-contours.ts';
import { censusBlocks, type Shape } from './judged-contours.ts';

const ORIGINS = 6;

let proxy: ProxyHarness;
let areas: ReadonlyMap<string, Shape>;
beforeAll(async () => {
  proxy = await openProxy(await baltimoreStore());
  areas = await censusBlocks([BALTIMORE_BLOCKS]);
});
afterAll(() => proxy?.close());

test('contours of real blocks are valid, nested, and the union of the blocks they represent', async () => {
  const { key } = await proxy.customer({ tokens: 0, member: true });
  const release = proxy.releases.current;
  const index = await release.index(release.county('24510')!);
  const routable = Array.from(index.geoids, geoidFromNumber).filter((_, i) =>
    (['walk', 'bike'] as const).every((mode) => index.link(i, mode).status === 'linked'),
  );
  const questions = Array.from({ length: ORIGINS }, (_, i): Question => {
    const block = routable[Math.floor(((i + 0.5) / ORIGINS) * routable.length)];
    const direction = i % 2 ? 'from' : 'to';
    return { block, mode: i % 3 ? 'walk' : 'bike', direction, contours: [4, 10, 25, 60] };
  });
  await expectSoundContours(proxy, key, areas, questions);
});
