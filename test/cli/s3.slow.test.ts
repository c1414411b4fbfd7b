import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { withBuildsLocked } from '../../builder/publish/locks.ts';
import { serve } from '../../infra/serve.ts';
import { serveSchema, serveSettings } from '../../infra/settings/api-server.ts';
import { readSettings } from '../../infra/settings/read-settings.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { openStore, openWritableStore } from '../../shards/store/open-store.ts';
import { flagsOfOneCounty } from '../support/county-row.ts';
import { issuedKey, newAccount } from '../support/customers.ts';
import { releaseIn } from '../support/release-in.ts';
import { type RgwServer, startRgw } from '../support/rgw.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests, TTA, ttaIn } from '../support/tta.ts';
import { openWire, type Wire } from '../support/wire.ts';

const folder = folderOfTests();
let rgw: RgwServer;
beforeAll(async () => {
  rgw = await startRgw();
  oneCounty = await flagsOfOneCounty(folder);
  // Loads the program and the S3 client. On a busy machine, the lock of a killed build could lapse
  // before they are loaded.
  await tta(['build', '--help']);
  await tta(['release', 'list', '--store', `s3://${await rgw.bucket()}/store`]);
});
afterAll(() => rgw.stop());

/** Runs the command with access to the server. */
const runIn = commandsOfTests();
const tta = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runIn({ ...rgw.env, ...env }, ...args);

let oneCounty: readonly string[];
/** Flags of a build that takes seconds. */
const city = () => [
  ...['--osm', path.join(inject('demoCity'), 'osm/demo.osm.pbf')],
  ...['--blocks', path.join(inject('demoCity'), 'blocks/tl_99001_tabblock20.zip')],
  ...['--counties', '99001', '--no-tiles'],
];
const buildFlags = (out: string, release: string, of = oneCounty) => [
  ...['build', ...of, '--out', out, '--release', release],
];

test('one of two concurrent builds into a bucket is refused', async () => {
  const bucket = await rgw.bucket();
  const out = `s3://${bucket}/store`;
  const long = buildFlags(out, 'one', city());
  const first = spawn(process.execPath, [TTA, ...long, '--workers', '1'], {
    env: { ...process.env, ...rgw.env },
    stdio: 'ignore',
  });
  const isLocked = () =>
    rgw.client.headObject({ Bucket: bucket, Key: 'store/.build-lock' }).then(
      () => true,
      () => false,
    );
  while (!(await isLocked())) await sleep(20);
  first.kill('SIGKILL');
  await once(first, 'exit');
  const second = await tta(buildFlags(out, 'two'));
  expect(second).toMatchObject({ code: 1 });
  expect(second.stderr).toMatch(
    new RegExp(`another build \\(process ${first.pid} on \\S+\\) is writing to it`),
  );
});

test('a release is built into a bucket, verified, replaced, promoted, inspected and collected', async () => {
  const store = `s3://${await rgw.bucket()}/a/store`;
  const release = (verb: string, ...args: string[]) =>
    tta(['release', verb, ...args, '--store', store]);
  expect(await ttaIn(rgw.env, ...buildFlags(store, 'one'))).toMatchObject({ code: 0 });
  expect(await tta(buildFlags(store, 'two'))).toMatchObject({ code: 0 });
  const verified = await ttaIn(rgw.env, 'release', 'verify', '--store', store);
  expect(verified.stdout).toMatch(/release two is intact/);
  expect((await release('list')).stdout).toMatch(/^\* two-\w+ .*\n {2}one-/);
  expect((await release('promote', 'one')).stdout).toMatch(/^two-\w+ → one-/);
  const { stdout } = await release('show', 'one', '--verbose');
  const nearest = /nearest\/99001-\w+\.tta/.exec(stdout)?.[0];
  expect((await tta(['inspect', `${store}/${nearest}`])).stdout).toMatch(/nearest: [\d,]+ blocks/);
  const collect = () => release('gc', '--keep', '0', '--grace-hours', '0');
  for (const [name, value] of Object.entries(rgw.env)) vi.stubEnv(name, value);
  const written = await openWritableStore(store);
  const refusal = (owner: string) => owner;
  const { stderr } = await withBuildsLocked(written, refusal, collect);
  expect(stderr).toMatch(/a build \(.*\) is writing to it/);
  await written.close();
  vi.unstubAllEnvs();
  expect((await collect()).stdout).toMatch(/manifests\/two-\w+\.json .*\n(.*\n)*kept one-/);
  expect((await release('verify')).stdout).toMatch(/release one is intact/);
});

test('an export into a bucket has the files of one into a folder, and verification finds a damaged one', async () => {
  const Bucket = await rgw.bucket();
  const out = `s3://${Bucket}/tables`;
  const here = path.join(folder, 'tables');
  for (const place of [out, here]) {
    const which = ['--tables', 'nearest,blocks,types', '--county', '99001', '--out', place];
    const exported = await tta(['export', '--store', inject('demoStore'), ...which]);
    expect(exported).toMatchObject({ code: 0 });
  }
  const sums = await readFile(path.join(here, 'release=demo/SHA256SUMS'), 'utf8');
  const lines = sums.trimEnd().split('\n');
  // Three tables, and the seven texts beside them.
  expect(lines).toHaveLength(10);
  for (const line of lines) {
    const [sha256, name] = line.split('  ');
    const { Body } = await rgw.client.getObject({ Bucket, Key: `tables/release=demo/${name}` });
    const bytes = await Body!.transformToByteArray();
    expect([name, createHash('sha256').update(bytes).digest('hex')]).toEqual([name, sha256]);
  }
  const verify = () => tta(['export', 'verify', out]);
  expect(await verify()).toMatchObject({ code: 0, stdout: '10 files as exported\n' });
  const Key = 'tables/release=demo/table=types/types.parquet';
  await rgw.client.putObject({ Bucket, Key, Body: 'PAR1' });
  const { code, stdout } = await verify();
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('table=types/types.parquet: is damaged'),
  ]);
});

test('a cold summary is one ranged GET, two for a county’s first; without the store it is an uncharged 503', async () => {
  const store = `s3://${await rgw.bucket()}/store`;
  expect(await tta(buildFlags(store, 'one'))).toMatchObject({ code: 0 });
  const wire = await openWire(rgw.endpoint);
  for (const [name, value] of Object.entries(rgw.env)) vi.stubEnv(name, value);
  const [first, second, third] = await someBlocks(store);
  vi.stubEnv('AWS_ENDPOINT_URL_S3', wire.address);
  const flags = { store, ledger: `sqlite:${folder}/ledger`, port: '0' };
  const set = readSettings(serveSchema, flags, {
    LOG_LEVEL: 'silent',
    // Looks for no new release among the requests that are counted.
    RELEASE_POLL_SECONDS: '3600',
  });
  const serving = await serve(serveSettings(set, '1.0.0'));
  try {
    // The manifest, its notes and the directory of POIs are read at startup, not by a request.
    expect(wire.requests.map(({ path: asked }) => asked.split('/')[3])).toEqual([
      'latest.json',
      'manifests',
      'notes',
      'dest-ids',
    ]);
    const { id } = await newAccount(serving.ledger);
    await serving.ledger.grant(id, { tokens: 1e6, cause: 'test', atMs: Date.now() }, 'operator');
    const made = await issuedKey(serving.ledger, id, 'test', Date.now());
    const headers = { Authorization: `Bearer ${made.plainKey}` };
    const ask = async (route: string) => fetch(`${serving.address}/v1/${route}`, { headers });
    const summary = async (geoid: string) => {
      wire.requests = [];
      const { status } = await ask(`blocks/${geoid}/summary?mode=walk`);
      return { status, kinds: rangedKinds(wire) };
    };
    const tokens = async () => (await ask('tokens')).text();

    expect(await summary(first)).toEqual({ status: 200, kinds: ['index', 'nearest'] });
    expect(await summary(second)).toEqual({ status: 200, kinds: ['nearest'] });
    expect(await summary(second)).toEqual({ status: 200, kinds: [] });

    const before = await tokens();
    wire.fault = () => 'reset';
    expect((await summary(third)).status).toBe(503);
    // Cached data is still served.
    wire.requests = [];
    expect(await tokens()).toBe(before);
    wire.fault = () => null;
    expect(await summary(third)).toEqual({ status: 200, kinds: ['nearest'] });
    expect(await tokens()).not.toBe(before);
  } finally {
    await serving.close();
    await wire.close();
    vi.unstubAllEnvs();
  }
});

/** Kinds of the objects requested, each of which must be a ranged GET. */
function rangedKinds(wire: Wire): string[] {
  return wire.requests.map(({ method, range, path: asked }) => {
    expect([method, range]).toEqual(['GET', expect.stringMatching(/^bytes=\d+-\d+$/)]);
    return asked.split('/')[3];
  });
}

async function someBlocks(location: string): Promise<string[]> {
  const store = await openStore(location);
  const release = await releaseIn(store);
  const index = await release.index(Object.values(release.manifest.counties)[0]);
  await store.close();
  const ordinals = Array.from({ length: index.count }, (_, i) => i);
  const linked = ordinals.filter((i) => index.isRoutable(i)).slice(0, 3);
  return linked.map((i) => geoidFromNumber(index.geoids[i]));
}
