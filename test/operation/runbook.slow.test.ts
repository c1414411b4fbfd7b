import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { flagsOfOneCounty } from '../support/county-row.ts';
import { freePort } from '../support/free-port.ts';
import { startNginx } from '../support/nginx.ts';
import { startRedisWithReplicas } from '../support/redis-server.ts';
import { type RgwServer, startRgw } from '../support/rgw.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests } from '../support/test-resources.ts';
import { commandsOfTests, TTA, ttaIn } from '../support/tta.ts';

// Runs each command that the runbook and the page on operation tell operators to run: over a
// bucket, and over a ledger in Redis behind a sentinel, with two replicas.

const run = promisify(execFile);
const runIn = commandsOfTests();
const folder = folderOfTests();
const sqlite = `sqlite:${folder}/ledger`;
const backup = path.join(folder, 'ledger-backup.db');
const redis = ofTests(() => startRedisWithReplicas());
const nginx = ofTests(() => startNginx(inject('demoStore')));
const servers: ServerProcess[] = [];
let rgw: RgwServer;
let bucket: string;
let metrics: string;
let oneCounty: readonly string[];
beforeAll(async () => {
  oneCounty = await flagsOfOneCounty(folder);
  rgw = await startRgw();
  bucket = await rgw.bucket();
  const create = ['keys', 'create', '--email', 'you@example.org'];
  // The process that runs commands may keep a file open, which a restoration refuses.
  for (const ledger of [redis.address, sqlite]) await ttaIn({ LEDGER: ledger }, ...create);
});
afterAll(async () => {
  for (const server of servers) expect(await server.stop()).toBe(0);
  await rgw?.stop();
});

const store = () => `s3://${bucket}/travel-times`;

/** Runs a command on the bucket and the ledger; returns what it prints. */
async function tta(line: string): Promise<string> {
  const env = { ...rgw.env, STORE: store(), LEDGER: redis.address };
  const { code, stdout, stderr } = await runIn(env, ...line.split(' '));
  expect([line, code, stderr]).toEqual([line, 0, expect.any(String)]);
  return stdout;
}

async function serve(args: string, env: Readonly<Record<string, string>> = rgw.env) {
  const own = { RELEASE_POLL_SECONDS: '1', ...env };
  const server = await startServer([TTA, ...args.split(' '), '--port', '0'], own);
  servers.push(server);
  return server;
}

async function ask(url: string): Promise<string> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  return response.text();
}

const build = (release: string) =>
  tta(`build ${oneCounty.join(' ')} --out ${store()} --release ${release}`);
const ofApi = (route: string) => () => ask(servers[0].address + route);

/** The master's reply to a command, which has what the documents say of it. */
const inRedis =
  (said: RegExp, ...words: string[]) =>
  async () =>
    expect(await redis.master.cli(...words)).toMatch(said);

async function backUp(file: string) {
  const ended = await ttaIn({}, 'accounts', 'backup', file, '--ledger', sqlite);
  expect(ended).toMatchObject({ code: 0 });
}

async function restore() {
  const ended = await ttaIn({}, 'accounts', 'restore', backup, '--ledger', sqlite);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('restore: 1 account') });
}

/** Damages an object of the bucket, and keeps what is recorded of it. */
async function damage(name: string): Promise<void> {
  const at = { Bucket: bucket, Key: `travel-times/${name}` };
  const { Body, Metadata } = await rgw.client.getObject(at);
  const bytes = Buffer.from(await Body!.transformToByteArray());
  bytes[bytes.length >> 1] ^= 1;
  await rgw.client.putObject({ ...at, Body: bytes, Metadata });
}

async function repair() {
  const verify = () => runIn(rgw.env, 'release', 'verify', '--store', store());
  const shown = await tta('release show two --verbose');
  const nearest = /nearest\/99001-\w+\.tta/.exec(shown)![0];
  const exported = (await rgw.client.listObjectsV2({ Bucket: bucket }))
    .Contents!.map(({ Key }) => /exports\/types-.*\.parquet$/.exec(Key!)?.[0])
    .find(Boolean)!;
  for (const name of [nearest, exported]) await damage(name);
  const { code, stdout } = await verify();
  const named = stdout.split('\n').flatMap((line) => /^[\w/.-]+(?=: )/.exec(line)?.[0] ?? []);
  expect([code, named.sort()]).toEqual([1, [exported, nearest].sort()]);
  for (const name of named) {
    await rgw.client.deleteObject({ Bucket: bucket, Key: `travel-times/${name}` });
  }
  await build('two');
  await tta(`export --store ${store()}`);
  expect(await verify()).toMatchObject({ code: 0 });
}

/** Runs of the commands that the documents name, in order, from a first build on. */
const RUNS: Readonly<Record<string, () => Promise<unknown>>> = {
  'tta build … --out s3://my-bucket/travel-times': async () => {
    await build('one');
    await build('two');
  },
  'tta release verify --store s3://my-bucket/travel-times': async () =>
    expect(await tta(`release verify --store ${store()}`)).toContain('release two is intact'),
  'tta release verify': async () => tta('release verify'),
  'tta serve … --metrics-port 9464': async () => {
    const port = await freePort();
    const places = `--store ${store()} --ledger ${redis.address}`;
    await serve(`serve ${places} --metrics-port ${port}`);
    metrics = `http://127.0.0.1:${port}/metrics`;
    expect(await ask(metrics)).toContain('tta_release_info');
  },
  'tta serve --store https://cdn.example/travel-times --ledger sqlite:./ledger': async () => {
    const places = `--store ${nginx.https} --ledger sqlite:${folder}/another`;
    const server = await serve(`serve ${places}`, { NODE_EXTRA_CA_CERTS: nginx.caFile });
    expect(JSON.parse(await ask(`${server.address}/v1/ready`))).toMatchObject({ ready: true });
  },
  'GET /v1/health': ofApi('/v1/health'),
  'GET /v1/ready': async () =>
    expect(JSON.parse(await ofApi('/v1/ready')())).toMatchObject({
      checks: { store: 'ok', ledger: 'ok' },
    }),
  'GET /v1/meta/vintage': ofApi('/v1/meta/vintage'),
  'tta export --store …': async () => tta(`export --store ${store()}`),
  'GET /v1/exports': async () =>
    expect.poll(ofApi('/v1/exports'), { interval: 200 }).toContain('"table":"types"'),
  'tta release verify --store …': repair,
  'tta release promote': async () => {
    expect(await tta('release promote one')).toMatch(/^two-\w+ → one-/);
    await expect.poll(() => ask(metrics), { interval: 200 }).toMatch(/tta_release_info\{.*one/);
    await tta('release promote two');
  },
  'tta release gc': async () =>
    expect(await tta('release gc --keep 0 --grace-hours 0')).toContain('kept two-'),
  'tta portal': async () => serve(`portal --ledger ${redis.address}`, { VAR_DIR: folder }),
  'GET /health': async () => {
    for (const route of ['/health', '/ready']) await ask(servers.at(-1)!.address + route);
  },
  'tta accounts list': async () => expect(await tta('accounts list')).toContain('you@example.org'),
  'tta accounts list --json': async () =>
    expect(JSON.parse(await tta('accounts list --json')).created).toMatch(/^\d{4}-/),
  'tta accounts show': async () => tta('accounts show you@example.org'),
  'tta accounts grant': async () => tta('accounts grant you@example.org --tokens 7'),
  'tta accounts disable': async () => tta('accounts disable you@example.org'),
  'tta accounts export': async () => {
    const file = path.join(folder, 'ledger.jsonl');
    await tta(`accounts export ${file}`);
    await tta(`accounts import ${file} --ledger sqlite:${folder}/moved`);
    expect(await tta(`accounts list --ledger sqlite:${folder}/moved`)).toContain('you@example.org');
  },
  'tta accounts backup': async () => backUp(backup),
  'tta accounts restore': restore,
  'tta accounts restore FILE --ledger sqlite:DIR': restore,
  'tta accounts restore ledger-backup.db --ledger sqlite:./ledger': restore,
  'tta accounts backup ledger-backup.db --ledger sqlite:./ledger': async () =>
    backUp(`${backup}.2`),
  'redis-cli ping': inRedis(/^PONG/, 'ping'),
  'redis-cli info memory': inRedis(/used_memory:\d+[\s\S]*maxmemory:\d+/, 'info', 'memory'),
  'info memory': inRedis(/used_memory:\d+/, 'info', 'memory'),
  'info replication': inRedis(/connected_slaves:2/, 'info', 'replication'),
  'info persistence': inRedis(
    /aof_last_bgrewrite_status:ok[\s\S]*aof_current_size:\d+/,
    'info',
    'persistence',
  ),
  'redis-cli --latency': inRedis(/^\d+ \d+ [\d.]+ \d+/, '--latency'),
  'slowlog get': inRedis(/^/, 'slowlog', 'get'),
  'nginx -t': async () => {
    const { folder: at } = nginx;
    await run('nginx', ['-t', '-p', at, '-c', `${at}/nginx.conf`, '-e', `${at}/error.log`]);
  },
};

/** Commands that a test of another file runs, and its name. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, name: string]>> = {
  'kill -CONT': ['cli/restore', 'the next command works when it continues'],
  'tta refresh': ['cli/refresh', 'weeks come and go: news is published, a bad week is refused'],
  'tta portal reconcile': ['cli/reconcile', 'books missed payments once'],
  'tta build --queue': ['cli/build-queue', 'build what one process builds, byte for byte'],
  'kill -TERM': ['cli/build-queue', 'prepare a plan as one process does'],
  'tta serve': ['operation/signals', 'completes the requests it has begun, and exits with 0'],
};

/** Commands for a cluster or Docker, which the tests do not have. */
const NOT_HERE = [
  'kubectl get pods',
  'kubectl get jobs',
  'kubectl describe pod',
  'docker pause',
  'docker unpause',
];

test('the documents for operators tell them to run these commands, and no others', async () => {
  const told = new Set<string>();
  for (const document of ['infra/monitoring/RUNBOOK.md', 'infra/docs/operating.md']) {
    const text = await readFile(document, 'utf8');
    const fenced = [...text.matchAll(/^```\n([\s\S]*?)^```/gm)].flatMap(([, lines]) =>
      lines.trim().split('\n'),
    );
    const inline = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)];
    const command = /^(?:tta|redis-cli|info|slowlog|kubectl|docker|nginx|kill|GET) /;
    for (const code of [...fenced, ...inline.map(([, one]) => one)]) {
      const line = code.replace(/^npx /, '').replace(/\s+#.*/, '');
      expect([line, fenced.includes(code) && !command.test(line)]).toEqual([line, false]);
      if (command.test(line)) told.add(line);
    }
  }
  const known = [...Object.keys(RUNS), ...Object.keys(ELSEWHERE), ...NOT_HERE];
  expect([...told].sort()).toEqual(known.sort());
  for (const [file, name] of Object.values(ELSEWHERE)) {
    expect(await readFile(`test/${file}.slow.test.ts`, 'utf8')).toContain(name);
  }
});

test.each(Object.keys(RUNS))('%s', async (command) => {
  await RUNS[command]();
});
