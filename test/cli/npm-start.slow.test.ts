import { execFile, spawn } from 'node:child_process';
import { cp, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { publishExports } from '../../builder/export/publish-exports.ts';
import { silent } from '../../builder/progress.ts';
import { EXAMPLE, MODES, responseText } from '../../portal/pages/front/example.ts';
import { PLANS } from '../../proxy/plans.ts';
import { systemCode } from '../../shards/error-facts.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { processorSeconds } from '../bench/processor-time.ts';
import { baltimoreStore } from '../support/baltimore-release.ts';
import { askForExamples, readDocument } from '../support/example-requests.ts';
import { freePort } from '../support/free-port.ts';
import { expectSoundOpenApi } from '../support/openapi.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { releaseIn } from '../support/release-in.ts';
import { startServer } from '../support/server-process.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';

const run = promisify(execFile);
const START = path.resolve('dist/infra/start.js');

const folder = folderOfTests();
/** The store of the release that the first start builds. */
const built = path.join(folder, 'var/store');
const env = { VAR_DIR: path.join(folder, 'var'), PORT: '0', PORTAL_PORT: '0' };
const started = (own: object = {}) =>
  startServer([START], { ...env, ...own }, { until: /curl .*\n/ });

/** Processor seconds until the first start was ready. */
let firstSeconds: number;
test('npm start builds the demo city, and prints a key and a curl line that works', async () => {
  const service = await started();
  firstSeconds = await processorSeconds(service.pid);
  expect(service.noise()).toContain('Building the fictional demo city');
  const curl = /curl .*/.exec(service.said())![0];
  const { stdout } = await run('sh', ['-c', `${curl} -s -D -`]);
  expect(stdout).toMatch(/^HTTP\/1\.1 200/);
  expect(stdout).toMatch(/x-tokens-charged: \d+/i);
  expect(JSON.parse(stdout.split('\r\n\r\n')[1]).results.length).toBeGreaterThan(10);
  expect(await service.stop()).toBe(0);
});

test('npm start builds nothing the second time, is ready in a fraction of the time with the same key, and serves at the ports that its options name', async () => {
  const manifest = path.join(built, 'latest.json');
  const before = await stat(manifest);
  const [port, portal] = [await freePort(), await freePort()].map(String);
  const args = [START, '--port', port, '--portal-port', portal];
  const service = await ofThisTest(startServer(args, env, { until: /curl .*\n/ }));
  expect(await processorSeconds(service.pid)).toBeLessThan(firstSeconds / 2);
  expect(service.noise()).toBe('');
  expect((await stat(manifest)).mtimeMs).toBe(before.mtimeMs);
  const key = (await readFile(path.join(folder, 'var/demo-key'), 'utf8')).trim();
  expect(service.said()).toContain(key);
  expect(service.said()).toContain(`http://127.0.0.1:${port}/`);
  expect((await fetch(`http://127.0.0.1:${port}/v1/health`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${portal}/`)).status).toBe(200);
});

test('npm start ends with 2 for wrong arguments, as tta does', async () => {
  const wrong = [
    ['--prot', '1'],
    ['--port'],
    ['--place', ''],
    ['--yes'],
    ['--port', '1', '--portal-port', '1'],
  ];
  for (const args of [...wrong, ['--wheelchair-unknown', 'none'], ['Baltimore']]) {
    const started = run(process.execPath, [START, ...args], { env: { ...process.env, ...env } });
    await expect(started, `${args}`).rejects.toMatchObject({ code: 2 });
  }
});

test('npm start stops, as if signalled itself, when npm is told to stop', async () => {
  const { BASE_URL: _, ...inherited } = process.env;
  const npm = spawn('npm', ['start'], { env: { ...inherited, ...env }, detached: true });
  onTestFinished(() => killGroup(npm.pid!));
  let said = '';
  npm.stdout.on('data', (text) => {
    said += text;
  });
  await expect.poll(() => said).toMatch(/curl .*\n/);
  npm.kill('SIGTERM');
  const [, api] = /API +(http:\S+)/.exec(said)!;
  const isThere = () =>
    fetch(`${api}/v1/health`).then(
      () => true,
      () => false,
    );
  await expect.poll(isThere).toBe(false);
});

/** Kills all processes of a group, if there are any left. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

test('npm start prints a key that its ledger accepts, wherever store and ledger are', async () => {
  const elsewhere = path.join(folder, 'elsewhere');
  const own = { VAR_DIR: elsewhere, STORE: built };
  const keys = new Set<string>();
  for (const ledger of ['one', 'other']) {
    const LEDGER = `sqlite:${path.join(folder, ledger)}`;
    const service = await started({ ...own, LEDGER });
    const [, key, url] = /Bearer (\S+)' '(\S+)'/.exec(service.said())!;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    keys.add(key);
    await service.stop();
  }
  expect(keys.size).toBe(2);
});

test('the example of the front page matches the response of the demo city', async () => {
  const proxy = await ofThisTest(openProxy(built));
  const { key } = await proxy.customer();
  const wanted = EXAMPLE.rows.map(({ type }) => `&type=${type}`).join('');
  const summary = `/v1/blocks/${EXAMPLE.geoid}/summary`;
  const shown = await proxy.get(`${summary}?mode=walk${wanted}`, key);
  const response = (await proxy.get(summary, key)).json();
  expect(JSON.stringify(JSON.parse(responseText()))).toBe(shown.body);
  const { geoid, population, landAreaM2: land_area_m2 } = EXAMPLE;
  expect(response.block).toEqual({ geoid, population, land_area_m2 });
  for (const { type, name, minutes } of EXAMPLE.rows) {
    const answered = MODES.map((mode) => {
      const row = response.results.find(
        (one: { dest_type_id: number; mode: string }) =>
          one.dest_type_id === type && one.mode === mode,
      );
      return row?.travel_time ?? null;
    });
    expect([name, answered]).toEqual([name, minutes]);
  }
});

test('the request and the response in README are those of the demo city', async () => {
  const readme = await readFile('README.md', 'utf8');
  const [, asked] = /"http:\/\/127\.0\.0\.1:8080(\/v1\/[^"]+)"/.exec(readme)!;
  const [shown] = /^\{"block":[^`]+/m.exec(readme)!;
  const proxy = await ofThisTest(openProxy(built));
  const { key } = await proxy.customer();
  expect((await proxy.get(asked, key)).json()).toEqual(JSON.parse(shown));
});

test('the examples of the OpenAPI document follow the release, and return rows in each', async () => {
  const at = (name: string) => path.join(folder, name);
  await cp(built, at('replaced'), { recursive: true });
  const store = new FolderStore(at('replaced'));
  const proxy = await ofThisTest(openProxy(at('replaced')));
  const first = await askForExamples(proxy);
  expect(first.without).toEqual([]);
  expect(first.tokens).toBeLessThan(PLANS.free_grant.tokens / 38);
  const etag = async () => (await proxy.get('/openapi.json')).headers.etag;
  const [before, document] = [await etag(), await readDocument(proxy)];

  // A release without census places, transit and tiles.
  await cp(await baltimoreStore(), at('replaced'), { recursive: true });
  const types = { tables: ['types'], counties: [], format: 'parquet' } as const;
  await publishExports(await releaseIn(store), types, store, silent);
  await store.close();
  expect(await proxy.releases.refresh()).toBe(true);
  const second = await askForExamples(proxy);
  expect(second.without).toEqual([
    '/v1/places/{geoid}/boundary',
    '/v1/places/{geoid}/blocks',
    '/v1/places/{geoid}/pois',
    '/v1/places/{geoid}/coverage',
    '/v1/places/{geoid}/access',
    '/v1/isochrone/tiles/{mode}/{dest_type_id}.json',
    '/v1/isochrone/tiles/{mode}/{dest_type_id}/{z}/{x}/{y}.mvt',
  ]);
  expect(await etag()).not.toBe(before);
  expect(await readDocument(proxy)).not.toEqual(document);
  await expectSoundOpenApi((await proxy.get('/openapi.json')).body, 30);
});
