import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../infra/cli/run.ts';
import { serveSettings } from '../../infra/environment.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tta-settings-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const FLAGS = { store: './store', ledger: 'lmdb:./ledger' };
const settings = (env: Record<string, string>, flags: object = {}) =>
  serveSettings({ ...FLAGS, ...flags }, '1.2.3', env);

/** What is said of settings that are wrong. */
function faultsOf(env: Record<string, string>, flags: object = {}): string {
  try {
    settings(env, flags);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('taken');
}

test('settings are read by their names, and flags win', () => {
  const env = {
    ...{ PORT: '8000', HOST: '0.0.0.0', BASE_URL: 'https://api.example', ROW_BUDGET: '7' },
    ...{ RATE_LIMIT_PER_MINUTE: '5', FREE_RATE_LIMIT_PER_MINUTE: '6', HEAD_CACHE_BYTES: '8' },
    ...{ ANSWER_CACHE_BYTES: '9', LOG_LEVEL: 'error', PROBLEM_BASE: 'https://problems.example' },
    CURSOR_SECRETS: 'the newer one of two, the older one of two',
    TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8::/32',
  };
  const set = settings(env, { port: '9000' });
  expect(set).toMatchObject({
    ...{ store: './store', ledger: 'lmdb:./ledger', port: 9000, host: '0.0.0.0' },
    ...{ rateLimitPerMinute: 5, headCacheBytes: 8 },
    proxy: {
      ...{ version: '1.2.3', baseUrl: 'https://api.example', batchRowBudget: 7, logLevel: 'error' },
      ...{ freeRateLimitPerMinute: 6, answerCacheBytes: 9 },
      problemBase: 'https://problems.example',
      trustProxy: ['loopback', '10.0.0.0/8', '2001:db8::/32'],
    },
  });
  // A secret of two words with a comma between is two.
  expect(set.proxy.cursorSecrets).toEqual(['the newer one of two', 'the older one of two']);
});

test('what is empty is as if it were not there', () => {
  expect(settings({ PORT: '', CURSOR_SECRETS: ' ', TRUST_PROXY: '' })).toEqual(settings({}));
  expect(settings({})).toMatchObject({ port: 8080, proxy: { baseUrl: 'http://localhost:8080' } });
});

test('all that is wrong is told at once, on one line', () => {
  const said = faultsOf(
    {
      ...{ PORT: '70000', ROW_BUDGET: 'many', BASE_URL: 'api.example', LOG_LEVEL: 'loud' },
      ...{ TRUST_PROXY: 'true', CURSOR_SECRETS: 'too short' },
      ...{ ANSWER_CACHE_BYTES: '-1', RATE_LIMIT_PER_MINUTE: '1.5' },
    },
    { store: 's3://bucket', ledger: 'mysql://x' },
  );
  expect(said).not.toContain('\n');
  for (const wrong of [
    'STORE="s3://bucket": a store is a folder',
    'LEDGER="mysql://x": a ledger is given as lmdb:DIR',
    'PORT="70000": is not an integer from 0 to 65535',
    'ROW_BUDGET="many": is not an integer from 1 to 1000000000',
    'ANSWER_CACHE_BYTES="-1": is not an integer',
    'RATE_LIMIT_PER_MINUTE="1.5": is not an integer',
    'BASE_URL="api.example": ',
    'LOG_LEVEL="loud": ',
    'TRUST_PROXY="true": ',
    'CURSOR_SECRETS: a secret has 16 characters or more',
  ]) {
    expect(said).toContain(wrong);
  }
  expect(said.split('; ').filter((part) => /^(settings: )?[A-Z_]+[=:]/.test(part))).toHaveLength(
    10,
  );
});

test('a secret is never shown, and may be in a file', async () => {
  const file = path.join(folder, 'secrets');
  await writeFile(file, 'one secret in a file\nanother secret in it\n');
  const { proxy } = settings({ CURSOR_SECRETS_FILE: file });
  expect(proxy.cursorSecrets).toEqual(['one secret in a file', 'another secret in it']);
  const both = { CURSOR_SECRETS_FILE: file, CURSOR_SECRETS: 'one secret in the open' };
  expect(faultsOf(both)).toBe('settings: CURSOR_SECRETS and CURSOR_SECRETS_FILE: give one of them');
  const none = path.join(folder, 'none');
  expect(faultsOf({ CURSOR_SECRETS_FILE: none, PORT: 'x' })).toBe(
    `settings: CURSOR_SECRETS_FILE="${none}": cannot be read (ENOENT); PORT="x": is not an integer from 0 to 65535`,
  );
  expect(faultsOf({ CURSOR_SECRETS: 'hidden' })).not.toContain('hidden');
  await writeFile(file, 'short\n');
  expect(faultsOf({ CURSOR_SECRETS_FILE: file })).toContain('a secret has 16 characters or more');
  await writeFile(file, '\n');
  expect(faultsOf({ CURSOR_SECRETS_FILE: file })).toContain('one or two secrets are needed');
});

test.each([
  ['1', 1],
  ['3', 3],
  ['loopback', ['loopback']],
  ['10.0.0.1', ['10.0.0.1']],
  ['::1,fd00::/8', ['::1', 'fd00::/8']],
])('TRUST_PROXY takes a number of proxies or networks: %s', (text, trusted) => {
  expect(settings({ TRUST_PROXY: text }).proxy.trustProxy).toEqual(trusted);
});

test.each([
  'true',
  'all',
  '*',
  'false',
  '0',
  '17',
  '-1',
  '0.0.0.0/0',
  '::/0',
  '0.0.0.0/1,128.0.0.0/1',
  '::/1,8000::/1',
  '::ffff:0:0/96',
  '10.0.0.0/33',
  'a, 1',
])('TRUST_PROXY never takes everybody, nor what is no network: %s', (text) => {
  const said = faultsOf({ TRUST_PROXY: text });
  expect(said).toContain(`settings: TRUST_PROXY="${text}": is the number of proxies before this`);
  expect(said).toContain('to trust all is refused, for clients could then choose their own');
});
