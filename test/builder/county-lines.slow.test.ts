import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { buildPlain } from '../support/build-plain.ts';
import { faultsIn } from '../support/faults.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { writeFeed } from '../transit/gtfs-text.ts';
import { type CityWithStops, randomCity } from '../transit/random-city.ts';
import { randomTimetable, SERVICE_DATE } from '../transit/random-timetable.ts';
import { blockGeoid, writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfTests();

const KINDS = ['pois', 'catchment', 'reach-from', 'reach-to'] as const;
/** Every time of one kind, as `from to mode: time`, with blocks by their number in the city. */
type Times = Record<(typeof KINDS)[number], Map<string, number>>;

async function build(
  name: string,
  city: CityWithStops,
  gtfs: readonly string[],
  geoidOf: (block: number) => string,
): Promise<{ counties: string[]; times: Times; nearest: number[][] }> {
  const inputs = path.join(folder, name);
  await mkdir(inputs);
  const { osm, blocks } = await writeSmallCity(inputs, city, geoidOf);
  const store = new FolderStore(path.join(inputs, 'store'));
  const request = { osm, blocks, gtfs, serviceDate: SERVICE_DATE };
  await buildPlain(request, store);
  const release = await releaseIn(store);
  expect(await faultsIn(store)).toEqual([]);
  const numbers = new Map(city.blocks.map((_, block) => [geoidOf(block), `block ${block}`]));
  const nameOf = (id: number) => numbers.get(geoidFromNumber(id)) ?? `place ${id}`;
  const counties = Object.entries(release.manifest.counties);
  const times = Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as Times;
  const nearest: number[][] = [];
  for (const [, county] of counties) {
    for (const kind of KINDS) {
      const matrix = await Matrix.open(store, county.objects[kind]!);
      for await (const { ordinal, modes } of matrix.rows()) {
        modes.forEach((row, mode) => {
          row.targets.forEach((target, i) => {
            const [from, to] = [matrix.origins[ordinal], matrix.targets[target]].map(nameOf);
            times[kind].set(`${from} ${to} ${mode}`, row.times[i]);
          });
        });
      }
    }
    const { origins } = await Matrix.open(store, county.objects.pois);
    for (const [ordinal, id] of origins.entries()) {
      nearest[Number(nameOf(id).split(' ')[1])] = [...(await release.nearest(county, ordinal))];
    }
  }
  await store.close();
  return { counties: counties.map(([county]) => county), times, nearest };
}

const SEED = 1;

test('blocks of three counties have the same times as in one', async () => {
  const city = randomCity(SEED);
  const { feeds } = randomTimetable(SEED, city.stops);
  const gtfs: string[] = [];
  for (const [i, feed] of feeds.entries()) {
    gtfs.push(await writeFeed(path.join(folder, `feed-${i}.zip`), feed));
  }
  const one = await build('one', city, gtfs, blockGeoid);
  // County lines run between any two neighbours.
  const county = (block: number) => ['99001', '99003', '99005'][block % 3];
  const three = await build(
    'three',
    city,
    gtfs,
    (block) => county(block) + blockGeoid(block).slice(5),
  );
  expect([one.counties.length, three.counties.length]).toEqual([1, 3]);
  for (const kind of KINDS) expect(three.times[kind]).toEqual(one.times[kind]);
  expect(three.nearest).toEqual(one.nearest);
  // For a single county, times to and times from mirror each other.
  const { times } = one;
  const turned = (map: ReadonlyMap<string, number>) =>
    new Map(
      [...map].map(([key, time]) => {
        const [, from, to, mode] = /^(\w+ \d+) (\w+ \d+) (\d)$/.exec(key)!;
        return [`${to} ${from} ${mode}`, time];
      }),
    );
  expect(turned(times.pois)).toEqual(times.catchment);
  expect(turned(times['reach-from'])).toEqual(times['reach-to']);
  for (const kind of KINDS) expect(times[kind].size).toBeGreaterThan(100);
});
