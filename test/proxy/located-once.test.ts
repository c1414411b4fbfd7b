import { expect, test, vi } from 'vitest';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { AreaIndex } from '../../shards/geometry/area-index.ts';
import { MICRO } from '../../shards/units.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();

test('a cold request locates its block once', async () => {
  const release = proxy.releases.current;
  const index = await release.index(release.counties[0].manifest);
  const ordinal = index.geoids.findIndex((_, i) => index.isFullyRoutable(i));
  const block = geoidFromNumber(index.geoids[ordinal]);
  const [lon, lat] = [index.lon[ordinal] / MICRO, index.lat[ordinal] / MICRO];
  const ordinals = vi.spyOn(BlockIndex.prototype, 'ordinalOf');
  const points = vi.spyOn(AreaIndex.prototype, 'at');
  for (const path of [
    `/v1/blocks/${block}/summary`,
    `/v1/blocks/${block}/pois`,
    `/v1/isochrone?block=${block}&minutes=10`,
    `/v1/point/summary?lon=${lon}&lat=${lat}`,
    `/v1/point/pois?lon=${lon}&lat=${lat}`,
    `/v1/isochrone?lon=${lon}&lat=${lat}&minutes=10`,
  ]) {
    ordinals.mockClear();
    points.mockClear();
    expect((await proxy.get(path, proxy.key)).statusCode).toBe(200);
    const isPoint = path.includes('lon=');
    expect([path, ordinals.mock.calls.length]).toEqual([path, 1]);
    expect([path, points.mock.calls.length]).toEqual([path, isPoint ? 1 : 0]);
  }
  vi.restoreAllMocks();
});

test('the blocks of a place are found without a search for each', async () => {
  const release = proxy.releases.current;
  const { places } = await release.places(Object.values(release.manifest.states)[0]);
  const ordinals = vi.spyOn(BlockIndex.prototype, 'ordinalOf');
  const response = await proxy.get(`/v1/places/${places[0].geoid}/blocks?limit=1`, proxy.key);
  expect(response.json().results).toHaveLength(1);
  expect(ordinals).not.toHaveBeenCalled();
  ordinals.mockRestore();
});
