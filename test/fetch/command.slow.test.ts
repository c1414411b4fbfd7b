import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../support/server-process.ts';
import { commandsOfTests } from '../support/tta.ts';
import { COUNTY, LICENCE, layOutMaryland, PATHS } from './maryland.ts';
import { Mirror } from './mirror.ts';
import { scratchFolders } from './scratch-folders.ts';

const run = promisify(execFile);
const folderPath = scratchFolders();
let mirror: Mirror;

beforeAll(async () => {
  mirror = await Mirror.start();
  await layOutMaryland(mirror, folderPath());
});
afterAll(() => mirror.close());

const services = () => ({
  GEOFABRIK_URL: mirror.url,
  CENSUS_URL: `${mirror.url}/`,
  LODES_URL: mirror.url,
  MOBILITY_URL: `${mirror.url}${PATHS.catalogue}`,
  OVERTURE_URL: mirror.url,
});

const runIn = commandsOfTests();
const fetchCommand = (...args: string[]) => runIn(services(), 'fetch', ...args);

test('the command that tta fetch prints builds the place, as it stands, in a shell', async () => {
  const out = path.join(folderPath(), "my city's $HOME");
  const { code, stdout, stderr } = await fetchCommand('--place', 'Port Meridian, MD', '--out', out);
  const quoted = `'${out.replace("'", "'\\''")}'`;
  expect([code, stdout]).toEqual([0, `npx tta build --inputs ${quoted} --out ./store\n`]);
  expect(stderr).toMatch(
    /^counties: 1 of 1 file, .*\nplaces: 1 of 1 file, .*\n1 county: 24001 \(Meridian County, MD\)\n/,
  );
  expect(stderr).toMatch(
    /\nto download: (?:under )?[\d.]+ MB in 8 files \(streets .* MB, census .* MB, transit .* MB, weights .* MB, addresses .* MB\), about [\d.]+ s at 5 MB\/s; the size of Overture places shows as they are read\nstreets and census: 3 of 3 files/,
  );
  expect(stderr).not.toContain('\r');

  const store = folderPath();
  // The build of a start, below, draws tiles too.
  await run('sh', ['-c', `${stdout.trimEnd().replace('./store', store)} --no-tiles`]);
  const shown = await runIn({}, 'release', 'show', '--store', store);
  expect(shown.stdout).toMatch(/county 24001 \(Meridian County, MD\): \d+ blocks/);
  expect(shown.stdout).not.toMatch(/county 24003/);
  expect(shown.stdout).toContain(`publisher: Meridian Transit; licence: ${LICENCE}\n`);

  const again = await fetchCommand('--place', 'Port Meridian, MD', '--out', out);
  expect(again.stderr).toContain('\nto download: nothing new; ');
  expect(again.stdout).toBe(stdout);
});

test('feeds without a licence are left out of a build on request, with the reason', async () => {
  const [inputs, store] = [folderPath(), folderPath()];
  const url = `${mirror.url}${PATHS.feed}`;
  const fetched = await fetchCommand('--county', COUNTY, '--out', inputs, '--gtfs', url);
  expect(fetched.code).toBe(0);
  const flags = ['--inputs', inputs, '--out', store, '--feeds-without-licence', 'leave-out'];
  const { code, stderr } = await runIn({}, 'plan', ...flags);
  expect(code).toBe(1);
  expect(stderr).toMatch(/tta: no feed can be used; .*\.zip: no licence of it is known\n$/);
});

test('servers learn who downloads, and of whom the command says to contact', async () => {
  mirror.takeSent();
  const flags = ['--county', COUNTY, '--out', folderPath(), '--only', 'census'];
  await fetchCommand(...flags, '--contact', 'ops@example.org');
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  expect([...new Set(mirror.exchanges.map(({ userAgent }) => userAgent))]).toEqual([
    `tta-fetch/${version} (ops@example.org)`,
  ]);
});

test('npm start downloads, builds and serves a place, and the next start only serves it', async () => {
  const env = { ...services(), VAR_DIR: folderPath(), PORT: '0', PORTAL_PORT: '0' };
  const args = [path.resolve('dist/infra/start.js'), '--place', 'Port Meridian, MD'];
  const start = (...options: readonly string[]) =>
    startServer([...args, ...options], env, { until: /curl .*\n/ });
  const first = await start('--modes', 'walk_slow');
  expect(first.said()).toMatch(
    /^Travel-Time Access Service: release \S+, 24001 \(Meridian County, MD\)\n {2}Map +http/,
  );
  const [, map] = /Map +(http\S+)/.exec(first.said())!;
  expect((await fetch(map)).status).toBe(200);
  const [, api] = /API +(http\S+)/.exec(first.said())!;
  const meta = await (await fetch(`${api}/v1/isochrone/meta`)).json();
  expect(JSON.stringify(meta)).toContain('walk_slow');
  expect(await first.stop()).toBe(0);
  mirror.takeSent();
  const second = await start();
  expect([second.noise(), mirror.exchanges]).toEqual(['', []]);
  expect(await second.stop()).toBe(0);
  // Options that the release may not have been built by are not passed over in silence.
  const third = await start('--strict');
  expect(third.noise()).toMatch(/^the release of an earlier start is served; --fresh builds it/);
  expect(await third.stop()).toBe(0);
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
    [[], /name an area: --place "Baltimore, MD", --county, --state or --nation/],
    [['--county', '2451'], /--county: "2451" is not a five-digit county code/],
    [['--place', 'Halcyon'], /"Halcyon" may be "Halcyon town, MD" .*, "Halcyon town, VA" /],
    [['--place', 'Port Meridan, MD'], /not the name of .* did you mean "Port Meridian city, MD"/],
    [['--county', 'Meridien, MD'], /not the name of a county; did you mean "Meridian County, MD"/],
    [['--county', COUNTY, '--contact', 'me)'], /--contact="me\)": is not a mail address or URL/],
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
    const isOfArguments = /^tta: (settings: |--|name )/m.test(stderr);
    expect([code, stdout]).toEqual([isOfArguments ? 2 : 1, '']);
    expect(stderr.split('\n').filter((text: string) => text.startsWith('tta: '))).toEqual([
      expect.stringMatching(line),
    ]);
    expect(stderr).not.toMatch(/\n\s+at /);
  }
});
