import { expect, test } from 'vitest';
import {
  ledgerAddressFault,
  parseLedgerAddress,
  withoutPassword,
} from '../../proxy/ledger/ledger-address.ts';

test.each([
  ['redis://localhost', 'redis', 'localhost:6379', 0, false],
  ['redis://10.0.0.1:7000/12', 'redis', '10.0.0.1:7000', 12, false],
  ['rediss://u:p@redis.example.org/', 'redis', 'redis.example.org:6379', 0, true],
  ['redis://[::1]:6380/2', 'redis', '::1:6380', 2, false],
  ['redis+cluster://a:1,b,c:3', 'cluster', 'a:1 b:6379 c:3', 0, false],
  ['rediss+cluster://:p@a:1', 'cluster', 'a:1', 0, true],
])('the parts of %s are parsed', (text, kind, hosts, database, isEncrypted) => {
  const parsed = parseLedgerAddress(text);
  if (parsed.kind === 'sqlite') throw new Error('no Redis');
  expect(parsed).toMatchObject({ kind, database, isEncrypted });
  expect(parsed.hosts.map(({ host, port }) => `${host}:${port}`).join(' ')).toBe(hosts);
});

test('a sentinel address names a master and optionally a database', () => {
  const hosts = [
    { host: 'a', port: 26_379 },
    { host: 'b', port: 26_380 },
  ];
  const parse = (path: string) => parseLedgerAddress(`redis+sentinel://a,b:26380/${path}`);
  expect(parse('main')).toMatchObject({ kind: 'sentinel', hosts, master: 'main', database: 0 });
  expect(parse('main-1/3')).toMatchObject({ master: 'main-1', database: 3 });
});

test('user and password are separated and decoded, and never shown', () => {
  for (const [text, username, password] of [
    ['redis://ada:s%40crt%2F@host/1', 'ada', 's@crt/'],
    ['redis://:only@host', undefined, 'only'],
    ['redis://ada@host', 'ada', undefined],
    ['redis://ada:a:b@c/d@host', 'ada', 'a:b@c/d'],
  ] as const) {
    const parsed = parseLedgerAddress(text);
    expect(parsed).toMatchObject({ username, password, hosts: [{ host: 'host', port: 6379 }] });
    expect('shown' in parsed && parsed.shown).toMatch(/^redis:\/\/host(\/1)?$/);
  }
  for (const text of ['redis://ada:sesame@', 'redis:ada:sesame@host', 'http://ada:sesame@host']) {
    expect(withoutPassword(text)).not.toContain('sesame');
    expect(() => parseLedgerAddress(text)).toThrow(
      /^(?!.*sesame).*a ledger address must be sqlite:DIR/,
    );
  }
});

test('a folder is everything after its scheme', () => {
  for (const directory of ['d', '/var/lib/ledger', 'C:\\ledger', 'a b']) {
    expect(parseLedgerAddress(`sqlite:${directory}`)).toEqual({ kind: 'sqlite', directory });
    expect(ledgerAddressFault(`sqlite:${directory}`)).toBeNull();
  }
});

test('the highest port is 65,535', () => {
  expect(parseLedgerAddress('redis://a:65535')).toMatchObject({ hosts: [{ port: 65_535 }] });
  expect(ledgerAddressFault('redis://a:65536')).not.toBeNull();
});

test('the error for an unknown address lists the supported forms', () => {
  expect(ledgerAddressFault('mysql://x')).toBe(
    'a ledger address must be sqlite:DIR, redis://HOST[:PORT][/DB], ' +
      'redis+sentinel://HOST[:PORT],…/MASTER[/DB] or redis+cluster://HOST[:PORT],…; ' +
      'use rediss instead of redis for TLS, and put USER:PASSWORD@ before the hosts',
  );
});

test.each([
  '',
  'sqlite:',
  'xsqlite:a',
  'sqlite:a\nb',
  'xredis://a',
  'redis://a/1\nx',
  'redis+cluster://x[::1]',
  'redis+cluster://[::1]x',
  'redis+cluster://a:1x',
  'redis+cluster://a b',
  'redis://',
  'mysql://x',
  'redis://a,b',
  'redis://a/b',
  'redis://a/1/2',
  'redis://a:99999',
  'redis+sentinel://a',
  'redis+sentinel://a/',
  'redis+sentinel://a/m/x',
  'redis+cluster://a/1',
  'redis+cluster://a,,b',
  'redis://%@a',
  'redis+other://a',
])('"%s" is rejected as a ledger address', (text) => {
  expect(ledgerAddressFault(text)).toMatch(/^a ledger address must be|percent-encoded/);
});
