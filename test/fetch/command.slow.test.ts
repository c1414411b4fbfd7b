import { afterAll, beforeAll, expect, test } from 'vitest';
import { ttaIn } from '../support/tta.ts';
import { COUNTY, layOutMaryland, PATHS } from './maryland.ts';
import { Mirror } from './mirror.ts';
import { scratchFolders } from './scratch-folders.ts';

const folderPath = scratchFolders();
let mirror: Mirror;

beforeAll(async () => {
  mirror = await Mirror.start();
  await layOutMaryland(mirror, folderPath());
});
afterAll(() => mirror.close());

async function fetchCommand(...args: string[]) {
  const env = {
    GEOFABRIK_URL: mirror.url,
    CENSUS_URL: `${mirror.url}/`,
    LODES_URL: mirror.url,
    MOBILITY_URL: `${mirror.url}${PATHS.catalogue}`,
    OVERTURE_URL: mirror.url,
  };
  return ttaIn(env, 'fetch', ...args);
}

test('tta fetch prints the build command, and plain lines of progress on a pipe', async () => {
  const out = folderPath();
  const { code, stdout, stderr } = await fetchCommand('--county', COUNTY, '--out', out);
  expect([code, stdout]).toEqual([
    0,
    `tta build --osm ${out}/osm/maryland-latest.osm.pbf --gtfs ${out}/gtfs/mdb-247.zip --blocks ${out}/blocks/tl_2024_24_tabblock20.zip --places ${out}/places/tl_2024_24_place.zip ${out}/places/tl_2024_us_county.zip --pois ${out}/pois/overture.geojson --weights ${out}/weights/md2020.pl.zip ${out}/weights/md_wac_S000_JT00_2022.csv.gz ${out}/weights/md_rac_S000_JT00_2021.csv.gz --counties ${COUNTY} --out ./store\n`,
  ]);
  expect(stderr).toMatch(/^counties: 1 of 1 file, .*\nstreets and census: 3 of 3 files/);
  expect(stderr).not.toContain('\r');
});

test('tta fetch --only prints the files it fetched when they do not suffice for a build', async () => {
  const out = folderPath();
  const { stdout } = await fetchCommand('--county', COUNTY, '--out', out, '--only', 'gtfs');
  expect(stdout).toBe(`${out}/gtfs/mdb-247.zip\n`);
});

test('an unavailable feed is a warning at the end, not a failure', async () => {
  const url = `${mirror.url}/none.zip`;
  const flags = ['--county', COUNTY, '--out', folderPath(), '--only', 'osm,census,gtfs'];
  const { code, stdout, stderr } = await fetchCommand(...flags, '--gtfs', url);
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/--gtfs/);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe(
    `warning: transit feeds: ${url}: not found (404); check the address in a browser`,
  );
});

test('an error that the user can fix is one line and exit code 1', async () => {
  const out = folderPath();
  for (const [flags, line] of [
    [['--county', '2451'], /--county: "2451" is not a five-digit county code/],
    [['--county', '99001'], /county 99001: 99 is not a state/],
    [
      ['--county', COUNTY, '--only', 'maps'],
      /--only: "maps" is not one of osm, census, gtfs, pois, weights/,
    ],
    [['--county', COUNTY, '--gtfs', 'mta.zip'], /--gtfs: "mta.zip" is not a URL/],
    [['--county', COUNTY, '--allow-hosts', 'a/b'], /--allow-hosts: "a\/b" is not a host such as/],
    [['--county', COUNTY, '--overture-release', 'newest'], /"newest" is not a release such as/],
    [['--county', COUNTY, '--census-url', `${mirror.url}/no`], /\/no\/geo.*not found \(404\)/],
  ] as const) {
    const { code, stdout, stderr } = await fetchCommand(...flags, '--out', out);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.split('\n').filter((text: string) => text.startsWith('tta: '))).toEqual([
      expect.stringMatching(line),
    ]);
    expect(stderr).not.toMatch(/\n\s+at /);
  }
});
