import { expect, inject, test } from 'vitest';
import { explainTrips, objectsOfTrip, type TripEnd } from '../../proxy/queries/journeys/explain.ts';
import { locateOrigin, originOfGeoid } from '../../proxy/queries/origins/origin-block.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { releaseIn } from '../support/release-in.ts';

const ORIGINS = 4;
const EVERY_SPREAD = 5;

test('the ETag of a trip depends on the index of the county where it ends', async () => {
  const store = new FolderStore(inject('demoStore'));
  const release = await releaseIn(store);
  const [{ manifest: county }, { manifest: other }] = release.counties;
  const [geoid] = (await release.index(other)).geoids;
  const names = objectsOfTrip(release, county, { geoid: geoidFromNumber(geoid) }, 0).map(
    ({ name }) => name,
  );
  expect(names).toEqual(
    [county.objects.index, county.objects['reach-from'], other.objects.index].map(
      ({ name }) => name,
    ),
  );
  await store.close();
});

test('every trip by transit from some blocks has legs that take its stored time, in the stored timetable', async () => {
  const store = new FolderStore(inject('demoStore'));
  const release = await releaseIn(store);
  const mode = release.manifest.modes.indexOf('transit');
  const [{ manifest: county }] = release.counties;
  const [reach, { matrix: pois }] = [
    await release.reach(county, 'from'),
    await release.pois(county),
  ];
  let ridden = 0;
  for (let row = 0; row < reach.origins.length; row += Math.ceil(reach.origins.length / ORIGINS)) {
    const geoid = geoidFromNumber(reach.origins[row]);
    const origin = await locateOrigin(release, originOfGeoid(release, geoid));
    const [blockTimes, poiTimes] = [await reach.row(row), await pois.row(row)];
    const ends: { end: TripEnd; tenths: number }[] = [];
    for (const [i, target] of blockTimes[mode].targets.entries()) {
      const to = geoidFromNumber(reach.targets[target]);
      ends.push({ end: { geoid: to }, tenths: 10 * blockTimes[mode].times[i] });
    }
    for (const [i, target] of poiTimes[mode].targets.entries()) {
      ends.push({ end: { destId: pois.targets[target] }, tenths: poiTimes[mode].times[i] });
    }
    const trips = await explainTrips(
      release,
      origin,
      ends.map(({ end }, i) => ({ end, mode, options: { spread: i % EVERY_SPREAD === 0 } })),
    );
    for (const [i, { travel_time, legs, spread }] of trips.entries()) {
      const { end, tenths } = ends[i];
      // The builder's search stated the 10th percentile.
      if (spread) expect([end, spread.minutes['10']]).toEqual([end, tenths / 10]);
      const sum = legs.reduce((total, { minutes }) => total + Math.round(10 * minutes), 0);
      expect([end, Math.round(10 * travel_time!), sum]).toEqual([end, tenths, tenths]);
      if (legs.some(({ kind }) => kind === 'ride')) ridden++;
    }
  }
  expect(ridden).toBeGreaterThan(1000);
  await store.close();
});
