import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import { isPublicAddress } from '../../builder/fetch/host-guard.ts';
import { Http } from '../../builder/fetch/http.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { forAll } from '../support/for-all.ts';
import { Mirror } from './mirror.ts';
import { scratchFolders } from './scratch-folders.ts';

const folderPath = scratchFolders();
const FILE = '/file';
/** A server whose host the user named, and one whose host the user did not. */
let named: Mirror;
let inside: Mirror;
let http: Http;

beforeAll(async () => {
  [named, inside] = [await Mirror.start(), await Mirror.start()];
  http = new Http({ idleMs: 1_500, retryMs: 2, namedHosts: [named.host] });
});
afterAll(async () => {
  await http.close();
  await Promise.all([named.close(), inside.close()]);
});
beforeEach(() => {
  for (const mirror of [named, inside]) {
    mirror.takeSent();
    mirror.put(FILE, 'secret');
    mirror.fail(FILE);
  }
});

async function refusalOf(url: string, by = http): Promise<string> {
  const error = await by.text(url).then(
    () => null,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(BuildError);
  return error.message;
}

/** URLs of the server that is not named, under names and numbers that mean this machine. */
const aliases = () => {
  const { port } = new URL(inside.url);
  return [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    'localhost',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
  ].map((host) => `http://${host}:${port}${FILE}`);
};

test('contacts the host that the user named, wherever it is', async () => {
  expect(await http.text(`${named.url}${FILE}`)).toBe('secret');
});

test('does not connect to another host of this machine, under any name', async () => {
  for (const url of aliases()) {
    expect(await refusalOf(url)).toMatch(
      /not a public address; if it is yours, allow it with --allow-/,
    );
  }
  expect(inside.exchanges).toEqual([]);
});

test('does not follow a redirect to a private address, and does not retry it', async () => {
  const metadata = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';
  const more = ['http://10.0.0.1/', 'http://192.168.1.1/', 'http://[fd00:ec2::254]/', metadata];
  for (const url of [...aliases(), ...more, 'http://[fe80::1]/', 'http://100.100.100.200/']) {
    named.takeSent();
    named.fail(FILE, { redirectTo: url });
    const message = await refusalOf(`${named.url}${FILE}`);
    expect(message).toContain(`${named.url}${FILE}: points to `);
    expect(message).toContain('not a public address');
    expect([url, named.gets(FILE).length]).toEqual([url, 1]);
  }
  expect(inside.exchanges).toEqual([]);
  expect(await http.sizeOf(`${inside.url}${FILE}`)).toBe(null);
  expect(inside.exchanges).toEqual([]);
});

test('follows a redirect to an allowed host, at its port or at any', async () => {
  for (const allowed of [inside.host, '127.0.0.1']) {
    const open = new Http({ retryMs: 2, namedHosts: [named.host, allowed] });
    named.fail(FILE, { redirectTo: `${inside.url}${FILE}` });
    expect(await open.text(`${named.url}${FILE}`)).toBe('secret');
    await open.close();
  }
});

test('does not request an invalid web address, let alone five times', async () => {
  for (const url of ['file:///etc/passwd', 'ftp://example.org/feed.zip', 'feed.zip', 'http://']) {
    // A retry would outlast the test.
    const patient = new Http({ retryMs: 1e9, namedHosts: [named.host] });
    expect(await refusalOf(url, patient)).toBe(
      `${url}: is not a URL starting with http:// or https://`,
    );
    await patient.close();
  }
});

/** A local https server that redirects, with a self-signed certificate. */
async function redirecting(location: string): Promise<{ server: Server; url: string }> {
  await ensureDebianPackage('openssl', 'openssl');
  const [key, cert] = ['key', 'cert'].map((name) => path.join(folderPath(), `${name}.pem`));
  const args = ['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  const about = ['-days', '2', '-subj', '/CN=here', '-addext', 'subjectAltName=IP:127.0.0.1'];
  await promisify(execFile)('openssl', [...args, ...about, '-keyout', key, '-out', cert]);
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (_request, response) => response.writeHead(302, { location }).end(),
  );
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return { server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('does not follow a redirect from https to http', async () => {
  const { server, url } = await redirecting(`${named.url}${FILE}`);
  // The certificate is not under test here.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const lax = new Http({ retryMs: 2, namedHosts: [named.host, new URL(url).host] });
  onTestFinished(() => void server.close());
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => lax.close());
  onTestFinished(() => void delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  expect(await refusalOf(`${url}${FILE}`, lax)).toBe(
    `${url}${FILE}: redirects from https to ${named.url}${FILE}, which is not protected from tampering; if that is intended, give the final address`,
  );
  expect(named.exchanges).toEqual([]);
});

/**
 * First and last addresses of the ranges that IANA reserves from public hosts, in dotted decimal
 * notation.
 */
const KEPT: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
];

const numberOf = (address: string) =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const isKept = (address: number) =>
  KEPT.some(([first, last]) => numberOf(first) <= address && address <= numberOf(last));
const bytesOf = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255);

test('IPv4 addresses are public except those that IANA reserves, also wrapped in IPv6', async () => {
  const nearEdges = KEPT.flatMap((range) =>
    range.map(numberOf).flatMap((edge) => [edge - 1, edge, edge + 1]),
  ).filter((address) => address >= 0 && address < 2 ** 32);
  await forAll(
    2_000,
    fc.oneof(fc.constantFrom(...nearEdges), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
    (address) => {
      const bytes = bytesOf(address);
      const dotted = bytes.join('.');
      const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
      const groups = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`;
      for (const form of [dotted, `::ffff:${dotted}`, `::ffff:${groups}`, `64:ff9b::${groups}`]) {
        expect([form, isPublicAddress(form)]).toEqual([form, !isKept(address)]);
      }
    },
  );
});

test('IPv6 addresses are public where they are allocated to hosts', () => {
  for (const address of ['2600::1', '2a00:1450:4001:81b::200e', '2001:4860:4860::8888', '3000::']) {
    expect([address, isPublicAddress(address)]).toEqual([address, true]);
  }
  const closed = [
    '::',
    '::1',
    '::127.0.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::',
    '64:ff9b:1::1',
    '100::1',
    '3fff::1',
    '4000::1',
    '1fff::1',
    'localhost',
    '',
  ];
  for (const address of closed)
    expect([address, isPublicAddress(address)]).toEqual([address, false]);
});
