import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { plannedInputSchema } from '../../builder/plan/planned-input.ts';
import { programVersion } from '../../builder/plan/program-version.ts';
import { silent } from '../../builder/progress.ts';
import { inScratchFolder } from '../../builder/scratch-folder.ts';
import { BuildQueue, connect } from '../../infra/build-queue/queue.ts';
import { ATTEMPTS, pauseAfterMs } from '../../infra/build-queue/retries.ts';
import { openWorker } from '../../infra/build-queue/worker.ts';
import { writeDemoCity } from '../../infra/demo/write-demo-city.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { writeCountyRow, writeTownFeed } from '../support/county-row.ts';
import { asAgency } from '../support/demo-feeds.ts';
import { faultsIn } from '../support/faults.ts';
import { freePort } from '../support/free-port.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests, TTA } from '../support/tta.ts';

const COUNTIES = 6;
const folder = folderOfTests();
const at = (...parts: string[]) => path.join(folder, ...parts);
let redis: RedisServer;
/** Flags for the inputs of a demo city, whose feed takes a while to read. */
let inputs: string[];
/** Flags for the inputs of a row of small counties. */
let row: string[];
const running = new Set<Working>();

beforeAll(async () => {
  redis = await startRedis();
  const city = { blocks: 500, seed: 5, counties: COUNTIES, out: at('city') };
  const { osm, blocks, gtfs, places } = await writeDemoCity(city, silent);
  const properties = { id: 'own', name: 'Oak', type: 'libraries' };
  const own = { type: 'Feature', properties, geometry: { type: 'Point', coordinates: [-70, 36] } };
  await writeFile(at('own.geojson'), JSON.stringify(own));
  inputs = [
    '--osm',
    osm,
    '--blocks',
    ...blocks,
    '--gtfs',
    gtfs,
    '--places',
    places,
    '--pois',
    at('own.geojson'),
    '--unit-blocks',
    '100',
  ];
  await mkdir(at('row'));
  const small = await writeCountyRow(at('row'));
  const feeds = [0, 2].map((county) => writeTownFeed(at('row', `${county}.zip`), county));
  const files = { ...small, gtfs: await Promise.all(feeds) };
  row = Object.entries(files).flatMap(([kind, paths]) => [`--${kind}`, ...paths]);
  row.push('--unit-blocks', '10');
});
// The next test has processes of its own, whatever happens in this one.
afterEach(async () => {
  await Promise.all([...running].map((one) => end(one, 'SIGKILL')));
  running.clear();
});
afterAll(() => redis.stop());

const feed = () => inputs[inputs.indexOf('--gtfs') + 1];

interface Working {
  readonly child: ChildProcess;
  said: string;
}

function work(store: string, program = TTA, ...more: string[]): Working {
  const flags = ['--queue', redis.address(), '--store', at(store), '--workers', '1', ...more];
  return startProgram(program, 'worker', ...flags);
}

const start = (...args: string[]) => startProgram(TTA, ...args);

const runIn = commandsOfTests();
const tta = (...args: string[]) => runIn({}, ...args);

function startProgram(program: string, ...args: string[]): Working {
  const child = spawn(process.execPath, [program, ...args]);
  const working = { child, said: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      working.said += text;
    });
  }
  running.add(working);
  return working;
}

const build = (...flags: string[]) => tta('build', ...inputs, '--release', 'r', ...flags);
const buildRow = (...flags: string[]) => tta('build', ...row, '--release', 'r', ...flags);
const buildByQueue = (store: string, ...flags: string[]) =>
  buildRow('--queue', redis.address(), '--out', at(store), ...flags);

/** A file that a killed worker was writing, kept until garbage is collected. */
const HALF_WRITTEN = /\.tmp$/;

/**
 * The contents of a release except regions, whose read statistics depend on how it was built, and
 * copies of inputs for workers.
 */
async function released(store: string): Promise<object> {
  const contents = Object.entries(await storeContents(at(store)));
  return Object.fromEntries(
    contents.filter(([name]) => !/^(regions|inputs)/.test(name) && !HALF_WRITTEN.test(name)),
  );
}

async function end({ child }: Working, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

const untilItHasAJob = ({ said }: Working) => /^job unit/m.test(said);

/** A command that builds the row by the queue, until it is killed. */
function buildUntilKilled(store: string): Working {
  const flags = ['--release', 'r', '--queue', redis.address(), '--out', at(store)];
  return start('build', ...row, ...flags);
}

test('two workers, after one that was killed twice, the command once, and Redis flushed and killed, build what one process builds, byte for byte', async () => {
  const { code } = await buildRow('--out', at('one'), '--workers', '1');
  expect(code).toBe(0);

  const killed = buildUntilKilled('many');
  for (let kills = 0; kills < 2; kills++) {
    // The only worker, so that there is a job for it however few there are.
    const doomed = work('many');
    await expect.poll(() => untilItHasAJob(doomed)).toBe(true);
    // Workers with `--until-done` stay while a command runs.
    expect(await redis.cli('client', 'list')).toMatch(/ name=tta-build-\S+:command /);
    await end(doomed, 'SIGKILL');
  }
  await end(killed, 'SIGKILL');
  const building = buildByQueue('many');
  const others = [work('many'), work('many')];
  await expect.poll(() => others.some(untilItHasAJob)).toBe(true);
  await expect.poll(() => redis.cli('client', 'list')).toContain(':command ');
  await redis.cli('flushall');
  await redis.kill('SIGKILL');
  await redis.restart();
  const { code: ended, stdout, stderr } = await building;
  expect(stderr).not.toMatch(/fault|failed/);
  expect(ended, stderr).toBe(0);
  expect(stdout).toMatch(/^release r: 36 blocks .* in 4 /);
  const ofOne = Object.keys(await storeContents(at('one')));
  expect(ofOne.filter((name) => HALF_WRITTEN.test(name))).toEqual([]);
  expect(await released('many')).toEqual(await released('one'));
  const store = new FolderStore(at('many'));
  expect(await faultsIn(store)).toEqual([]);
  await store.close();

  // Objects that the store has lost since are rebuilt; all others are found.
  const lost = (await readdir(at('many/pois'))).find((name) => !HALF_WRITTEN.test(name))!;
  await rm(at('many/pois', lost));
  const again = await buildByQueue('many');
  expect(again.code).toBe(0);
  expect(await released('many')).toEqual(await released('one'));
  const searches = others.flatMap(({ said }) => said.match(/1 of them to search/g) ?? []);
  expect(searches.length).toBeGreaterThan(0);
  for (const worker of others) await end(worker, 'SIGTERM');
});

test('a worker with another store or program runs no job of a build, which waits and says so; one with --until-done ends after it', async () => {
  // The test above compares tiles.
  const flags = ['--no-tiles', '--release', 'r', '--queue', redis.address(), '--out', at('shared')];
  const building = start('build', ...row, ...flags);
  await cp(path.resolve('dist'), at('other/dist'), { recursive: true });
  await cp(path.resolve('package.json'), at('other/package.json'));
  await symlink(path.resolve('node_modules'), at('other/node_modules'));
  await appendFile(at('other/dist/builder/build.js'), '\n// Another version.\n');
  const elsewhere = work('elsewhere');
  await expect.poll(() => building.said).toMatch(/^no worker is connected; start some: /m);
  const other = work('shared', at('other/dist/infra/cli/tta.js'));
  const version = '[0-9a-f]{16} on Node \\d+';
  const left = new RegExp(
    `^job \\S+ is left: was queued by another version of the program, ${version}, than that of \\S+, ${version}$`,
    'm',
  );
  await expect.poll(() => other.said).toMatch(left);
  await expect.poll(() => building.said).toContain('was queued by another version');
  for (const worker of [elsewhere, other]) {
    expect(worker.said).not.toMatch(/^job .*\)$/m);
    expect(worker.child.exitCode).toBeNull();
    await end(worker, 'SIGTERM');
  }
  expect(await readdir(at('shared'))).not.toContain('latest.json');

  const right = work('shared', TTA, '--until-done', '--metrics-port', '0');
  const ended = once(right.child, 'exit');
  await expect.poll(() => right.said).toMatch(/^metrics on http/m);
  const [, address] = /^metrics on (\S+)/m.exec(right.said)!;
  // The metrics of the queue are missing while it is late to respond.
  const metrics = async () => (await fetch(address)).text();
  await expect
    .poll(metrics)
    .toMatch(/^tta_build_jobs\{queue="[^"]+",state="(active|waiting)"\} [1-9]$/m);
  await expect.poll(() => building.child.exitCode).toBe(0);
  const store = new FolderStore(at('shared'));
  expect(await faultsIn(store)).toEqual([]);
  await store.close();
  // The worker ends, with nothing left to do.
  await expect.poll(() => right.said).toContain('waiting for a last scrape');
  await metrics();
  expect((await ended)[0]).toBe(0);
});

test('workers, one of them killed, prepare a plan as one process does; each problem of a feed is reported once, by the path given', async () => {
  const feeds: string[] = [];
  for (const name of ['North', 'South', 'West']) feeds.push(await asAgency(feed(), name));
  const gtfs = ['--gtfs', ...feeds];
  // Names carry the hash of the content.
  const prepared = async (store: string) =>
    [...(await readdir(at(store, 'plans'))), ...(await readdir(at(store, 'prepared')))].filter(
      (name) => !HALF_WRITTEN.test(name),
    );
  const { code } = await tta('plan', ...inputs, ...gtfs, '--out', at('planned'));
  expect(code).toBe(0);

  const flags = ['--queue', redis.address(5), '--out', at('prepared')];
  const building = start('build', ...inputs, ...gtfs, '--release', 'r', ...flags);
  const others = [1, 2].map(() => work('prepared', TTA, '--queue', redis.address(5)));
  const isPreparing = ({ said }: Working) => /^job prepare/m.test(said);
  await expect.poll(() => others.some(isPreparing)).toBe(true);
  await end(others.find(isPreparing)!, 'SIGKILL');
  await expect.poll(() => others.some(untilItHasAJob)).toBe(true);
  await end(building, 'SIGTERM');
  expect(building.child.exitCode).toBe(143);
  for (const other of others) await end(other, 'SIGTERM');
  expect((await prepared('prepared')).sort()).toEqual((await prepared('planned')).sort());
  const said = others.map((other) => other.said).join('');
  expect(said).toMatch(/^(north|south|west|demo_transit)\.zip: stop_times\.txt: [\d,]+ × /m);
  for (const file of [feed(), ...feeds]) {
    const told = building.said.split('\n').filter((line) => line.startsWith(`${file}: stop_times`));
    expect(told).toEqual([
      expect.stringMatching(/[\d,]+ × no time; interpolated by straight distances/),
    ]);
  }
});

test('a worker with --until-done fails if a signal stops it, so that a scheduler replaces it; others do not', async () => {
  const queue = redis.address(8);
  const until = ['--until-done', '--wait-minutes', '5'];
  for (const [flags, exitCode] of [
    [until, 143],
    [[], 0],
  ] as const) {
    const worker = work('stopped', TTA, '--queue', queue, ...flags);
    await expect.poll(() => worker.said).toMatch(/is waiting for jobs/);
    await end(worker, 'SIGTERM');
    expect(worker.child.exitCode).toBe(exitCode);
  }
  const refused = await tta('worker', '--queue', queue, '--store', at('x'), '--wait-minutes', '5');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/--wait-minutes: needs --until-done/);
});

test('builds and workers name a missing queue at once', async () => {
  const queue = `redis://127.0.0.1:${await freePort()}`;
  const tries = [
    build('--out', at('nowhere'), '--queue', queue),
    tta('worker', '--queue', queue, '--store', at('nowhere')),
  ];
  for (const { code, stderr } of await Promise.all(tries)) {
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^tta: queue ${queue}: connect ECONNREFUSED .*; is Redis running`, 'm'),
    );
  }
  const { stderr } = await build('--out', at('nowhere'), '--queue', 'sqlite:x');
  expect(stderr).toMatch(/^tta: settings: .*must have the form redis:/);
});

const plan = { name: 'plans/99001-0.json', bytes: 2, sha256: '0'.repeat(64) };
const worker = (queue: string, memory = 2 ** 30) =>
  openWorker({ queue, store: at('hostile'), workers: 1, memory, progress: silent });

test('a worker refuses a job with extra fields or a path elsewhere, and removes nothing', async () => {
  const queue = redis.address(1);
  await mkdir(at('precious'));
  await writeFile(at('precious', 'file'), 'kept');
  const request = { release: 'r', tiles: false, directions: ['from'], access: [] };
  const task = { kind: 'unit', plan, request, counties: ['99001'] };
  const good = { program: programVersion(), task, memory: 0 };
  const elsewhere = { ...plan, name: '../plans/x.json' };
  const withTask = (change: object) => ({ task: { ...task, ...change } });
  const spec = { kind: 'osm', edges: [0, 0, 1, 1], mapped: [] };
  const input = { name: '../x', sha256: plan.sha256, parts: [] };
  const bad: Record<string, object> = {
    'task.request: Unrecognized key: "scratch"': withTask({
      request: { ...request, scratch: at('precious') },
    }),
    'task.request.release: ': withTask({ request: { ...request, release: '../../r' } }),
    'task.counties.0: ': withTask({ counties: ['../99'] }),
    'task.inputs.0.name: ': { task: { kind: 'prepare', spec, inputs: [input] } },
    'task: Unrecognized key: "key"': { task: { kind: 'prepare', spec, inputs: [], key: 'x' } },
    'task.plan.name: ': withTask({ plan: elsewhere }),
    'Unrecognized key: "store"': { store: at('precious') },
  };
  const opened = await BuildQueue.open(queue, new FolderStore(at('hostile')));
  const works = await worker(queue);
  try {
    for (const [reason, change] of Object.entries(bad)) {
      const job = await opened.jobs.add('unit', { ...good, ...change } as never, { attempts: 9 });
      await expect.poll(() => job.getState()).toBe('failed');
      expect((await opened.jobs.getJob(job.id!))?.failedReason).toContain(reason);
    }
    // A well-formed job is accepted; only its thread, which runs compiled code, is missing here.
    const job = await opened.jobs.add('unit', good as never);
    await expect.poll(() => job.getState()).toBe('failed');
    expect((await opened.jobs.getJob(job.id!))?.failedReason).toContain('/threads/thread.js');
  } finally {
    await works.close();
    await opened.close();
  }
  expect(await inScratchFolder(at('precious'), (scratch) => readdir(scratch))).toEqual([]);
  expect(await readdir(at('precious'))).toEqual(['file']);
  const planned = (name: string) =>
    plannedInputSchema.safeParse({
      name: 'osm',
      sha256: plan.sha256,
      parts: [{ name, bytes: 1, sha256: plan.sha256 }],
    }).success;
  expect(['gtfs/a..b.txt', '../x', 'a/../../x', '..'].map(planned)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('a job that most workers have no memory for is run by the one that has enough, though it came last', async () => {
  const queue = redis.address(2);
  const request = { release: 'r', tiles: false, directions: ['from'], access: [] };
  const task = { kind: 'unit', plan, request, counties: ['99001'] };
  const opened = await BuildQueue.open(queue, new FolderStore(at('hostile')));
  const workers = [await worker(queue), await worker(queue)];
  try {
    const data = { program: programVersion(), task, memory: 2 ** 31 };
    const job = await opened.jobs.add('unit', data as never);
    const found = async () => (await opened.jobs.getJob(job.id!))!;
    await expect.poll(async () => (await found()).attemptsStarted).toBe(3);
    workers.push(await worker(queue, 2 ** 32));
    const { attemptsStarted } = await found();
    await expect.poll(() => job.getState()).toBe('failed');
    const { failedReason, attemptsStarted: attempts } = await found();
    expect(failedReason).toContain('/threads/thread.js');
    // One that has left it takes it once more at most while another waits.
    expect(attempts).toBeLessThanOrEqual(attemptsStarted + 2 * workers.length);
  } finally {
    await Promise.all(workers.map((one) => one.close()));
    await opened.close();
  }
});

test('a worker that cannot start leaves no connection', async () => {
  vi.stubEnv('TMPDIR', at('no-such-folder'));
  await expect(worker(redis.address(2))).rejects.toThrow(/ENOENT/);
  vi.unstubAllEnvs();
  await expect.poll(async () => (await redis.cli('client', 'list')).match(/db=2/g)).toBeNull();
});

test('a password may contain characters with a meaning in URLs', async () => {
  await redis.cli('config', 'set', 'requirepass', 'se/cret');
  const address = (password: string) => `redis://:${password}@127.0.0.1:${redis.port}/3`;
  try {
    const open = await connect(address('se/cret'));
    expect(await open.ping()).toBe('PONG');
    open.disconnect();
    await expect(connect(address('se/crets'))).rejects.toThrow(/^queue redis:\/\/127.*WRONGPASS/);
  } finally {
    await redis.cli('-a', 'se/cret', 'config', 'set', 'requirepass', '');
  }
});

test('a build survives half an hour without its store, and retries within minutes', () => {
  const pauses = Array.from({ length: ATTEMPTS - 1 }, (_, i) => pauseAfterMs(i + 1));
  expect(pauses.reduce((sum, ms) => sum + ms)).toBeGreaterThan(30 * 60_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(5 * 60_000);
});
