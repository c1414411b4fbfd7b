import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import { silent } from '../../builder/progress.ts';
import { applyScenario } from '../../infra/scenario/apply-scenario.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import { diffReleases } from '../../shards/release/release-diff.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { Tenths } from '../../shards/units.ts';
import { ROW, writeCountyRow } from '../support/county-row.ts';
import { demoRequest } from '../support/demo-release.setup.ts';
import { releaseIn } from '../support/release-in.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests } from '../support/tta.ts';
import { avenueFeed, tripFrom } from '../transit/avenue.ts';
import { writeFeed } from '../transit/gtfs-text.ts';

const folder = folderOfTests();
const runIn = commandsOfTests();
const at = (name: string) => path.join(folder, name);

/** A working Tuesday of the demo city and of the row of counties. */
const DAY = '2026-03-17';

/** Writes a feed as it would be by some changes. */
async function scenario(name: string, gtfs: string, changes: string): Promise<string> {
  const file = at(`${name}.yaml`);
  await writeFile(file, `scenario: ${name}\nchanges:\n${changes}`);
  const out = at(`${name}.zip`);
  await applyScenario({ scenario: file, gtfs, out });
  return out;
}

/** Builds a release into a store, and reads it. */
async function built<T>(
  store: string,
  request: Pick<BuildRequest, 'osm' | 'blocks'> & Partial<BuildRequest>,
  read: (release: Release, searched: readonly string[]) => Promise<T>,
): Promise<T> {
  const opened = new FolderStore(at(store));
  try {
    const made = { counties: [], serviceDate: DAY, tiles: false, release: 'r', ...request };
    const { searched } = await buildRelease(made, opened, silent);
    return await read(await releaseIn(opened), searched);
  } finally {
    await opened.close();
  }
}

test('a build searches only the county whose riders use the changed line, and the others have the same bytes', async () => {
  const stops = Object.fromEntries(
    ROW.flatMap((fips, county) => [
      [`${fips} west`, 8_000 * county],
      [`${fips} east`, 8_000 * county + 750],
    ]),
  );
  // A bus through each town, every ten minutes from seven on.
  const trips = ROW.flatMap((fips) =>
    Array.from({ length: 18 }, (_, n) =>
      tripFrom(7 * 60 + 10 * n, { [`${fips} west`]: 0, [`${fips} east`]: 3 }),
    ),
  );
  const routeOf = (trip: number) => `bus of ${ROW[Math.floor(trip / 18)]}`;
  const gtfs = await writeFeed(
    at('row.zip'),
    avenueFeed(stops, trips, {
      'routes.txt': ROW.map((fips) => ({ route_id: `bus of ${fips}`, route_type: 3 })),
      'trips.txt': trips.map((_, i) => ({
        route_id: routeOf(i),
        service_id: 'daily',
        trip_id: `t${i}`,
      })),
    }),
  );
  const changed = await scenario(
    'twice',
    gtfs,
    '  - {change: adjust-headway, route: bus of 99003, headway: 5 min}\n',
  );
  const inputs = await writeCountyRow(folder);
  const manifestOf = async ({ manifest }: Release) => manifest;
  const before: Manifest = await built('row', { ...inputs, gtfs: [gtfs] }, manifestOf);
  const after = await built('row', { ...inputs, gtfs: [changed] }, async (release, searched) => {
    expect(searched).toEqual(['99003']);
    return release.manifest;
  });
  const store = new FolderStore(at('row'));
  const differing: string[] = [];
  for await (const { county } of diffReleases(store, before, after)) differing.push(county);
  await store.close();
  expect(differing).toEqual(['99003']);
});

/**
 * Tenths of a minute by walking and by transit, between blocks and POIs, by county, block and POI.
 */
async function timesIn(release: Release): Promise<Map<string, { walk: Tenths; transit: Tenths }>> {
  const { modes, counties } = release.manifest;
  const times = new Map<string, { walk: Tenths; transit: Tenths }>();
  for (const [fips, county] of Object.entries(counties)) {
    const pois = await release.pois(county);
    for (let block = 0; block < county.blocks; block++) {
      const row = await pois.matrix.row(block);
      const [walk, transit] = (['walk', 'transit'] as const).map(
        (mode) => row[modes.indexOf(mode)],
      );
      const onFoot = new Map(Array.from(walk.targets, (poi, i) => [poi, walk.times[i]]));
      for (const [i, poi] of transit.targets.entries()) {
        times.set(`${fips} ${block} ${pois.matrix.targets[poi]}`, {
          walk: onFoot.get(poi) ?? Number.POSITIVE_INFINITY,
          transit: transit.times[i],
        });
      }
    }
  }
  return times;
}

test('the command says what the recipe shows, and tells problems by line', async () => {
  const recipe = await readFile('infra/docs/recipes/scenario.md', 'utf8');
  const [, yaml] = /<<'END'\n([\s\S]*?)END\n/.exec(recipe)!;
  const [, shown] = /```text\n([\s\S]*?)```/.exec(recipe)!;
  const [gtfs] = demoRequest(inject('demoCity')).gtfs!;
  const [change, changed] = [at('change.yaml'), at('changed.zip')];
  await writeFile(change, yaml);
  const done = await runIn({}, 'scenario', change, '--gtfs', gtfs, '--out', changed);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout.replaceAll(`${folder}/`, '')).toBe(shown);
  await writeFile(change, yaml.replace('6 min', '6'));
  const refused = await runIn({}, 'scenario', change, '--gtfs', gtfs, '--dry-run');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /change\.yaml:6: headway must be the time .* not "6"\ntta: .*nothing is written/,
  );
  const without = await runIn({}, 'scenario', change, '--gtfs', gtfs);
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('give --out')]);
});

test('whoever rides a line every 6 minutes instead of every 12 gains exactly a minute at the 10th percentile, and nobody else gains', async () => {
  const { osm, blocks, gtfs: feeds } = demoRequest(inject('demoCity'));
  // The railway alone, which leaves every 12 minutes all day.
  const alone = '  - {change: remove-route, route: [Crosstown, Old Bridge]}\n';
  const twice = `${alone}  - {change: adjust-headway, route: M, days: weekdays, headway: 6 min}\n`;
  const timesOf = async (name: string, changes: string) => {
    const gtfs = [await scenario(name, feeds![0], changes)];
    return built('city-store', { osm, blocks, gtfs }, timesIn);
  };
  const before = await timesOf('alone', alone);
  const after = await timesOf('alone-twice', twice);
  // The sixth shortest time of 60 departures counts. A train every 12 minutes is caught with the
  // least wait by five of them, and by the sixth with a minute more; one every 6 minutes, by ten.
  let riders = 0;
  for (const [pair, { walk, transit }] of before) {
    const now = after.get(pair)!.transit;
    if (transit < walk) {
      riders++;
      expect(now, pair).toBe(transit - 10);
    } else {
      expect(now, pair).toBeLessThanOrEqual(walk);
      expect(now, pair).toBeGreaterThanOrEqual(walk - 10);
    }
  }
  expect(riders).toBeGreaterThan(1_000);
  // Pairs that come within the half hour of rows took at most a minute more.
  for (const [pair, { transit }] of after) {
    if (!before.has(pair)) expect(transit, pair).toBeGreaterThanOrEqual(290);
  }
});
