import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../../infra/errors.ts';
import { serveSchema, serveSettings } from '../../infra/settings/api-server.ts';
import { mcpSchema } from '../../infra/settings/mcp.ts';
import { portalSchema, portalSettings } from '../../infra/settings/portal-server.ts';
import { readSettings } from '../../infra/settings/read-settings.ts';
import { startSettings } from '../../infra/settings/start.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const folder = folderOfTests();

const FLAGS = { store: './store', ledger: 'sqlite:./ledger' };
const settings = (env: Record<string, string>, flags: object = {}) =>
  serveSettings(readSettings(serveSchema, { ...FLAGS, ...flags }, env), '1.2.3');

/** The message of the error that a function throws. */
function said(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('taken');
}

const faultsOf = (env: Record<string, string>, flags: object = {}) =>
  said(() => settings(env, flags));

test('settings are read by name, and flags take precedence', () => {
  const env = {
    PORT: '8000',
    HOST: '0.0.0.0',
    BASE_URL: 'https://api.example',
    ROW_BUDGET: '7',
    EXPORT_LINKS: 'bucket',
    RATE_LIMIT_PER_MINUTE: '5',
    FREE_RATE_LIMIT_PER_MINUTE: '6',
    CACHE_BYTES: '8',
    RESPONSE_CACHE_BYTES: '9',
    LOG_LEVEL: 'error',
    PROBLEM_BASE: 'https://problems.example',
    CURSOR_SECRETS: 'the newer one of two, the older one of two',
    TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8::/32',
  };
  const set = settings(env, { port: '9000', store: 's3://bucket' });
  expect(set).toMatchObject({
    store: 's3://bucket',
    ledger: 'sqlite:./ledger',
    port: 9000,
    host: '0.0.0.0',
    rateLimitPerMinute: 5,
    cacheBytes: 8,
    proxy: {
      version: '1.2.3',
      baseUrl: 'https://api.example',
      batchRowBudget: 7,
      exportLinks: 'bucket',
      logLevel: 'error',
      freeRateLimitPerMinute: 6,
      responseCacheBytes: 9,
      problemBase: 'https://problems.example',
      trustProxy: ['loopback', '10.0.0.0/8', '2001:db8::/32'],
    },
  });
  // A secret of two words separated by a comma is two secrets.
  expect(set.proxy.cursorSecrets).toEqual(['the newer one of two', 'the older one of two']);
});

test('links to a bucket need a store in S3', () => {
  const faults = faultsOf({ EXPORT_LINKS: 'bucket' });
  expect(faults).toBe('settings: EXPORT_LINKS="bucket": takes a STORE in S3, s3://bucket/prefix');
  expect(faultsOf({ EXPORT_LINKS: 'cdn' })).toContain('EXPORT_LINKS="cdn": ');
});

test('missing settings are named by flag and variable, together with all other errors', () => {
  const faults = faultsOf({ PORT: 'x' }, { store: '', ledger: undefined });
  expect(faults).toBe(
    'settings: --store or STORE: is required; --ledger or LEDGER: is required; PORT="x": is not an integer from 0 to 65535',
  );
});

test('the address of a ledger may be in a file, like any secret', async () => {
  const file = path.join(folder, 'ledger');
  await writeFile(file, 'redis://ada:hidden@host\n');
  const { ledger } = settings({ LEDGER_FILE: file }, { ledger: undefined });
  expect(ledger).toBe('redis://ada:hidden@host');
});

test('an empty setting counts as absent', () => {
  expect(settings({ PORT: '', CURSOR_SECRETS: ' ', TRUST_PROXY: '' })).toEqual(settings({}));
  expect(settings({})).toMatchObject({ port: 8080, proxy: { baseUrl: undefined } });
});

test('all errors in settings are reported at once, on one line', () => {
  const faults = faultsOf(
    {
      PORT: '70000',
      ROW_BUDGET: 'many',
      BASE_URL: 'api.example',
      LOG_LEVEL: 'loud',
      TRUST_PROXY: 'true',
      CURSOR_SECRETS: 'too short',
      RESPONSE_CACHE_BYTES: '-1',
      RATE_LIMIT_PER_MINUTE: '1.5',
    },
    { store: 'gs://bucket', ledger: 'mysql://x' },
  );
  expect(faults).not.toContain('\n');
  for (const wrong of [
    '--store="gs://bucket": a store is a folder, s3://bucket/prefix or https://host/prefix',
    '--ledger="mysql://x": a ledger address must be sqlite:DIR, redis://HOST',
    'PORT="70000": is not an integer from 0 to 65535',
    'ROW_BUDGET="many": is not an integer from 1 to 1000000000',
    'RESPONSE_CACHE_BYTES="-1": is not a size such as 8GB',
    'RATE_LIMIT_PER_MINUTE="1.5": is not an integer',
    'BASE_URL="api.example": ',
    'LOG_LEVEL="loud": ',
    'TRUST_PROXY="true": ',
    'CURSOR_SECRETS: secrets must have at least 16 characters',
  ]) {
    expect(faults).toContain(wrong);
  }
  expect(
    faults.split('; ').filter((part) => /^(settings: )?(--[a-z]+|[A-Z_]+)[=:]/.test(part)),
  ).toHaveLength(10);
});

test('a secret is never shown, and may be in a file', async () => {
  const file = path.join(folder, 'secrets');
  await writeFile(file, 'one secret in a file\nanother secret in it\n');
  const { proxy } = settings({ CURSOR_SECRETS_FILE: file });
  expect(proxy.cursorSecrets).toEqual(['one secret in a file', 'another secret in it']);
  const both = { CURSOR_SECRETS_FILE: file, CURSOR_SECRETS: 'one secret in the open' };
  expect(faultsOf(both)).toBe(
    'settings: CURSOR_SECRETS and CURSOR_SECRETS_FILE: give only one of them',
  );
  const none = path.join(folder, 'none');
  expect(faultsOf({ CURSOR_SECRETS_FILE: none, PORT: 'x' })).toBe(
    `settings: CURSOR_SECRETS_FILE="${none}": cannot be read (ENOENT); PORT="x": is not an integer from 0 to 65535`,
  );
  expect(faultsOf({ CURSOR_SECRETS: 'hidden' })).not.toContain('hidden');
  const [ledger, shown] = [
    'redis://ada:hidden@host/none',
    '--ledger="redis://host/none": a ledger address must be',
  ];
  expect(faultsOf({}, { ledger })).toContain(shown);
  expect(faultsOf({}, { ledger })).not.toContain('hidden');
  await writeFile(file, 'short\n');
  expect(faultsOf({ CURSOR_SECRETS_FILE: file })).toContain(
    'secrets must have at least 16 characters',
  );
  await writeFile(file, '\n');
  expect(faultsOf({ CURSOR_SECRETS_FILE: file })).toContain(
    `CURSOR_SECRETS_FILE="${file}": is empty`,
  );
});

test.each([
  ['1', 1],
  ['3', 3],
  ['loopback', ['loopback']],
  ['10.0.0.1', ['10.0.0.1']],
  ['::1,fd00::/8', ['::1', 'fd00::/8']],
])('TRUST_PROXY accepts a number of proxies or networks: %s', (text, trusted) => {
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
  '::ffff:0:0/96',
  '0.0.0.0/1,128.0.0.0/1',
  '::/1,8000::/1',
  '10.0.0.0/33',
  'a, 1',
])('TRUST_PROXY refuses all addresses, and strings that are not networks: %s', (text) => {
  const faults = faultsOf({ TRUST_PROXY: text });
  expect(faults).toContain(
    `settings: TRUST_PROXY="${text}": must be the number of proxies in front of`,
  );
  expect(faults).toContain('trusting all is refused, since clients could then choose their own');
});

const portal = (env: Record<string, string>, flags: object = {}) =>
  portalSettings(readSettings(portalSchema, { ledger: 'sqlite:./ledger', ...flags }, env), '1.2.3');

test('reads the portal’s settings by name', async () => {
  const file = path.join(folder, 'stripe');
  await writeFile(file, 'sk_of_a_file\n');
  const env = {
    PORTAL_PORT: '8001',
    HOST: '::1',
    PORT: '1',
    ACCOUNT_URL: 'https://account.example/',
    BASE_URL: 'https://api.example',
    SMTP_URL: 'smtps://me:it@mail.example',
    VAR_DIR: '/v',
    MAIL_FROM: 'Travel times <no-reply@example.org>',
    STRIPE_WEBHOOK_SECRET: 'whsec',
    STRIPE_SECRET_KEY_FILE: file,
    STRIPE_MEMBERSHIP_PRICE: 'price_1, price_0',
    SESSION_SECRETS: 'the newer one of two,the older one of two',
  };
  expect(portal(env)).toMatchObject({
    ledger: 'sqlite:./ledger',
    port: 8001,
    host: '::1',
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM, folder: '/v/mail' },
    stripe: { secretKey: 'sk_of_a_file', webhookSecret: 'whsec' },
    portal: {
      accountUrl: 'https://account.example',
      apiUrl: 'https://api.example',
      sessionSecrets: ['the newer one of two', 'the older one of two'],
    },
  });
  expect(portal(env).stripe?.membershipPrices).toEqual(['price_1', 'price_0']);
  expect(portal({})).toMatchObject({ port: 8081, mail: { smtpUrl: null }, stripe: null });
});

test('reports all errors in the portal’s settings at once, and shows no secret', () => {
  const wrong = {
    PORTAL_PORT: 'x',
    ACCOUNT_URL: 'https://example.org/account',
    SESSION_SECRETS: 'short',
    SMTP_URL: 'http://a:secret@b',
    STRIPE_SECRET_KEY: 'sk_secret',
  };
  const text = said(() => portal(wrong));
  for (const reported of [
    'PORTAL_PORT="x": ',
    'ACCOUNT_URL="https://example.org/account": contains a path',
    'SMTP_URL: must have the form',
    'SESSION_SECRETS: secrets must have at least 16',
    'MAIL_FROM: is required with SMTP_URL',
    'STRIPE_WEBHOOK_SECRET: is required with',
  ]) {
    expect(text).toContain(reported);
  }
  expect(text).not.toMatch(/secret@|sk_secret|short;/);
  expect(text).not.toContain('\n');
  const from = (MAIL_FROM: string) => said(() => portal({ SMTP_URL: 'smtp://m', MAIL_FROM }));
  for (const sender of [
    'nobody',
    'A <a@b.example>\r\nBcc: c@d.example',
    'a@b.example, c@d.example',
  ]) {
    expect(from(sender)).toContain('MAIL_FROM=');
  }
});

test('errors in the settings of two servers in one process are reported at once', () => {
  const text = said(() => startSettings('1', { PORT: 'x', PORTAL_PORT: 'y', HOST: '' }));
  expect(text).toContain('PORT="x"');
  expect(text).toContain('PORTAL_PORT="y"');
  expect(said(() => startSettings('1', { PORT: '8090', PORTAL_PORT: '8090' }))).toBe(
    'settings: PORT and PORTAL_PORT (--port and --portal-port) are both 8090; choose another for one',
  );
  expect(() => startSettings('1', { PORT: '0', PORTAL_PORT: '0' })).not.toThrow();
  // Errors name what was typed.
  const flags = { port: 'x', portalPort: 'y' };
  expect(said(() => startSettings('1', { PORT: '80', PORTAL_PORT: '81' }, '', flags))).toMatch(
    /^settings: --portal-port="y": .*; --port="x": /,
  );
  const { api, portal, isOwnStore } = startSettings('1', { VAR_DIR: '/v', STORE: 's3://bucket' });
  expect([api.store, isOwnStore]).toEqual(['s3://bucket', false]);
  expect([api.ledger, portal.ledger]).toEqual(['sqlite:/v/ledger', 'sqlite:/v/ledger']);
  expect(portal.mail.folder).toBe('/v/mail');
  expect(startSettings('1', {})).toMatchObject({ isOwnStore: true });
});

test.each(['localhost:8080', 'ftp://localhost', 'api.example.org', 'file:///etc/hosts'])(
  'the address of a service must be an http or https URL, which %s is not',
  (address) => {
    const fault = 'is not an http or https URL such as https://api.example.org';
    expect(said(() => readSettings(mcpSchema, { api: address }, {}))).toContain(
      `--api="${address}": ${fault}`,
    );
    expect(faultsOf({ BASE_URL: address })).toContain(`BASE_URL="${address}": ${fault}`);
    expect(faultsOf({ PROBLEM_BASE: address })).toContain('is not an http or https URL such as');
  },
);
