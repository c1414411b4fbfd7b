import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type ComposeService, composeServices } from '../support/compose.ts';
import { freePort } from '../support/free-port.ts';
import { HOSTS, loopbackAgent, type NginxFront, startNginxFront } from '../support/front.ts';
import { HttpVisitor } from '../support/http-visitor.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { type RgwServer, startRgw } from '../support/rgw.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { TTA, ttaIn } from '../support/tta.ts';

const run = promisify(execFile);
const STORE = 's3://travel-times/store';
const EMAIL = 'ada@example.org';

const folder = folderOfTests();
const mails = path.join(folder, 'portal', 'mail');
const before = getGlobalDispatcher();
const running: ChildProcess[] = [];
let rgw: RgwServer;
let redis: RedisServer;
let front: NginxFront;
/** The two proxies, with their addresses and processes. */
let proxies: { readonly address: string; readonly process: ChildProcess }[];

/** Starts a server of the compose file from the compiled program, as a container does. */
async function started({ command, environment }: ComposeService, own: Record<string, string>) {
  const { AWS_SHARED_CREDENTIALS_FILE: _, ...shared } = environment;
  const server = spawn(process.execPath, [TTA, ...command], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...shared, ...rgw.env, ...own },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(server);
  for await (const line of createInterface(server.stdout)) {
    const address = / on (http:\S+)$/.exec(line)?.[1];
    if (address !== undefined) return { address, process: server };
  }
  throw new Error(`${command.join(' ')} ended`);
}

beforeAll(async () => {
  const values = { API_HOST: HOSTS.api, ACCOUNT_HOST: HOSTS.account };
  const { redis: composed } = await composeServices(values, {});
  rgw = await startRgw();
  // Creates the secrets as the header of the compose file describes.
  const [program, config, ...words] = composed.command;
  expect([program, config]).toEqual(['redis-server', '/run/secrets/redis.conf']);
  const [own, ledger] = [path.join(folder, 'redis.conf'), path.join(folder, 'ledger')];
  const password = randomBytes(32).toString('hex');
  await writeFile(own, `requirepass ${password}\n`);
  redis = await startRedis('--include', own, ...words);
  await writeFile(ledger, `redis://:${password}@127.0.0.1:${redis.port}/0\n`);
  expect(await redis.cli('ping')).toMatch(/NOAUTH/);
  const services = await composeServices(values, {
    '/run/secrets/ledger': ledger,
    'http://s3:7480': rgw.endpoint,
    '/public-tiles.json': path.resolve('infra/front/public-tiles.json'),
  });
  const maker = path.resolve('dist/infra/container/make-bucket.js');
  await run(process.execPath, [maker, ...services.bucket.command], {
    env: { ...process.env, ...rgw.env },
  });
  expect(services.proxy.environment.STORE).toBe(STORE);
  await upload(inject('demoStore'), 'store');
  const proxy = async () =>
    started(services.proxy, {
      PORT: `${await freePort()}`,
      RELEASE_POLL_SECONDS: '1',
      // A machine that runs other tests concurrently may be slow for unrelated reasons.
      SHED_AT_LAG_MS: '0',
    });
  proxies = await Promise.all([proxy(), proxy()]);
  await mkdir(mails, { recursive: true });
  const portal = await started(services.portal, {
    PORTAL_PORT: `${await freePort()}`,
    VAR_DIR: path.dirname(mails),
  });
  front = await startNginxFront({
    api: proxies.map(({ address }) => address),
    portal: portal.address,
    bucket: rgw.endpoint,
  });
  setGlobalDispatcher(loopbackAgent(front.ca));
});

afterAll(async () => {
  setGlobalDispatcher(before);
  await front?.stop();
  for (const server of running) {
    if (server.exitCode !== null || server.signalCode !== null) continue;
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  await redis?.stop();
  await rgw?.stop();
});

/** Uploads a folder's files to the bucket with a client other than the product's. */
async function upload(from: string, prefix: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const Key = path.posix.join(prefix, path.relative(from, file));
    await rgw.client.putObject({ Bucket: 'travel-times', Key, Body: await readFile(file) });
  }
}

/** Waits for a mail, and returns the code in the newest one. */
async function mailedCode(): Promise<string> {
  for (const until = Date.now() + 120_000; Date.now() < until; ) {
    const [newest] = (await readdir(mails))
      .filter((name) => name.endsWith('.eml'))
      .sort()
      .reverse();
    if (newest !== undefined) {
      for await (const line of createInterface(createReadStream(path.join(mails, newest)))) {
        const code = /^ *(\d{6})$/.exec(line)?.[1];
        if (code !== undefined) return code;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no mail came');
}

test('a customer signs up, gets data, gets a free 304, sees a new release and the old one again', async () => {
  // Sign-up, at the portal.
  const visitor = new HttpVisitor(`https://${HOSTS.account}:${front.port}`);
  expect((await visitor.post('/auth/request', { email: EMAIL })).status).toBe(202);
  const code = await mailedCode();
  expect((await visitor.post('/auth/verify-code', { email: EMAIL, code })).status).toBe(200);
  const made = await visitor.post('/keys', { label: 'first' });
  expect(made.status).toBe(201);
  const { key, tokens_remaining: granted } = (await made.json()) as Record<string, unknown>;
  const authorization = { authorization: `Bearer ${key}` };
  const api = (route: string, headers = {}) =>
    front.ask(`https://${HOSTS.api}/v1/${route}`, { ...authorization, ...headers });
  /** The balance, as reported by each of the proxies. */
  const balances = () =>
    Promise.all(
      proxies.map(async ({ address }) => {
        const response = await fetch(`${address}/v1/tokens`, { headers: authorization });
        return ((await response.json()) as { tokens_remaining: number }).tokens_remaining;
      }),
    );

  // A request, and repeats of it.
  const places = await api('places?q=port&limit=1');
  const { geoid: place } = JSON.parse(`${places.body}`).places[0];
  const [{ geoid }] = JSON.parse(
    `${(await api(`places/${place}/blocks?mode=transit&limit=1`)).body}`,
  ).results;
  const summary = `blocks/${geoid}/summary`;
  const first = await api(summary);
  const rows = JSON.parse(`${first.body}`).results;
  expect(rows.map(({ mode }: { mode: string }) => mode)).toContain('transit');
  const left = Number(granted) - 1 - rows.length;
  expect(await balances()).toEqual([left, left]);
  const etag = `${first.headers.etag}`;
  for (let again = 0; again < 4; again++) {
    expect((await api(summary, { 'if-none-match': etag })).status).toBe(304);
    expect((await api(summary)).body.equals(first.body)).toBe(true);
  }
  expect(await balances()).toEqual([left, left]);

  // The bucket's tiles are public, and its other contents are not.
  const { Contents = [] } = await rgw.client.listObjectsV2({
    Bucket: 'travel-times',
    Prefix: 'store/tiles/walk',
  });
  const archive = Contents.find(({ Key }) => Key?.endsWith('.pmtiles'))!.Key!.slice(
    'store/'.length,
  );
  const tile = await front.ask(`https://${HOSTS.tiles}/${archive}`, { range: 'bytes=0-6' });
  expect([tile.status, `${tile.body}`]).toEqual([206, 'PMTiles']);
  expect(tile.headers['cache-control']).toMatch(/immutable/);
  const atBucket = await fetch(`${rgw.endpoint}/travel-times/store/latest.json`);
  expect(atBucket.status).toBe(403);

  // Another release, without transit.
  const built = await ttaIn(
    rgw.env,
    'build',
    '--osm',
    path.join(inject('demoCity'), 'osm/demo.osm.pbf'),
    '--blocks',
    path.join(inject('demoCity'), 'blocks/tl_99001_tabblock20.zip'),
    '--counties',
    '99001',
    '--no-tiles',
    '--out',
    STORE,
    '--release',
    'two',
  );
  expect(built).toMatchObject({ code: 0 });
  const inForce = async () => {
    const responses = await Promise.all(
      proxies.map(async ({ address }) => (await fetch(`${address}/v1/last-updated`)).json()),
    );
    return responses.map((response) => (response as { release: string }).release);
  };
  await expect.poll(inForce).toEqual(['two', 'two']);
  const changed = await api(summary, { 'if-none-match': etag });
  expect(changed.status).toBe(200);
  const modes = JSON.parse(`${changed.body}`).results.map(({ mode }: { mode: string }) => mode);
  expect(modes).not.toContain('transit');
  expect((await api(summary)).headers.etag).toBe(changed.headers.etag);

  // The old release again.
  const promoted = await ttaIn(rgw.env, 'release', 'promote', 'demo', '--store', STORE);
  expect(promoted).toMatchObject({ code: 0 });
  await expect.poll(inForce).toEqual(['demo', 'demo']);
  const [balance] = await balances();
  expect((await api(summary, { 'if-none-match': etag })).status).toBe(304);
  expect(await balances()).toEqual([balance, balance]);

  // One of two proxies dies; clients do not notice.
  proxies[0].process.kill('SIGKILL');
  await once(proxies[0].process, 'exit');
  for (let again = 0; again < 10; again++) {
    expect((await api(summary, { 'if-none-match': etag })).status).toBe(304);
  }
});
