import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkOf, rateSubject } from '../../proxy/http/rate-limiting.ts';
import { RateWindow } from '../../proxy/ledger/rate-window.ts';
import { forAll } from '../support/for-all.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0001::1', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['203.0.113.7:51000', '203.0.113.7'],
  ['[2001:db8::1]:51000', '2001:db8:0:0::/64'],
  ['<script>', 'unknown'],
  ['', 'unknown'],
])('%s is counted as %s', (address, subject) => {
  expect(rateSubject(address)).toBe(subject);
});

test.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.200', '203.0.113.0/24'],
  ['203.0.113.7:51000', '203.0.113.0/24'],
  ['2001:db8:1:2::3', '2001:db8:1::/48'],
  ['2001:DB8:0001:ffff:ffff:ffff:ffff:ffff', '2001:db8:1::/48'],
  ['[2001:db8::1]:51000', '2001:db8:0::/48'],
  ['<script>', 'unknown'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('two addresses share a network if and only if they share 24 bits of IPv4 or 48 of IPv6', () =>
  forAll(2_000, fc.ipV4(), fc.ipV4(), fc.nat(255), fc.boolean(), (one, other, last, near) => {
    const second = near ? one.replace(/\d+$/, `${last}`) : other;
    expect(networkOf(one) === networkOf(second)).toBe(isIn(one, 24, second, 'ipv4'));
    const [a, b] = [one, second].map((ip) => {
      const [x, y, z, rest] = ip.split('.').map((byte) => Number(byte).toString(16));
      return `2001:${x}:${y}${z}:${rest}::1`;
    });
    expect(networkOf(a) === networkOf(b)).toBe(isIn(a, 48, b, 'ipv6'));
  }));

/** Node's own test of whether an address is in another's network. */
function isIn(one: string, bits: number, other: string, family: 'ipv4' | 'ipv6'): boolean {
  const list = new BlockList();
  list.addSubnet(one, bits, family);
  return list.check(other, family);
}

test('two IPv6 addresses are one subject if and only if they share their first 64 bits', async () => {
  const group = fc.constantFrom(0, 0, 1, 0xffff, 0x0db8);
  // Not in the ranges that represent IPv4 addresses.
  const groups = fc.array(group, { minLength: 7, maxLength: 7 }).map((rest) => [0x2001, ...rest]);
  await forAll(2_000, groups, groups, fc.boolean(), (one, other, near) => {
    const second = near ? [...one.slice(0, 4), ...other.slice(4)] : other;
    const [a, b] = [one, second].map(written);
    expect(rateSubject(a) === rateSubject(b)).toBe(isIn(a, 64, b, 'ipv6'));
  });
});

/** An IPv6 address as in a URL, with the longest run of zeros omitted. */
function written(groups: number[]): string {
  const text = groups.map((group) => group.toString(16)).join(':');
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

test('a client with a whole IPv6 network cannot evict its own window', () => {
  const window = new RateWindow(3);
  const take = (host: number) => {
    const address = `2001:db8::${(host >> 16).toString(16)}:${(host & 0xffff).toString(16)}`;
    return window.take(rateSubject(address), 0).allowed;
  };
  let allowed = 0;
  for (let host = 0; host < 100_100; host++) if (take(host)) allowed++;
  expect(allowed).toBe(3);
});
