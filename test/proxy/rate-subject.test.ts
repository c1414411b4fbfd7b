import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateWindow } from '../../portal/accounts/rate-window.ts';
import { rateSubject } from '../../portal/http/rate-subject.ts';
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

/** Node's own test of whether an address is in the /64 of another. */
function shareNetwork(one: string, other: string): boolean {
  const list = new BlockList();
  list.addSubnet(one, 64, 'ipv6');
  return list.check(other, 'ipv6');
}

test('two IPv6 addresses are one subject if and only if they share their first 64 bits', async () => {
  const group = fc.constantFrom(0, 0, 1, 0xffff, 0x0db8);
  // Neither in the ranges that stand for IPv4 addresses.
  const groups = fc.array(group, { minLength: 7, maxLength: 7 }).map((rest) => [0x2001, ...rest]);
  await forAll(2_000, groups, groups, fc.boolean(), (one, other, near) => {
    const second = near ? [...one.slice(0, 4), ...other.slice(4)] : other;
    const [a, b] = [one, second].map(written);
    expect(rateSubject(a) === rateSubject(b)).toBe(shareNetwork(a, b));
  });
});

/** As a URL writes it: the longest zeros left out. */
function written(groups: number[]): string {
  const text = groups.map((group) => group.toString(16)).join(':');
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

test('a client with a whole IPv6 network cannot make its own window be forgotten', () => {
  const window = new RateWindow(3);
  const take = (host: number) => {
    const address = `2001:db8::${(host >> 16).toString(16)}:${(host & 0xffff).toString(16)}`;
    return window.take(rateSubject(address), 0).allowed;
  };
  let allowed = 0;
  for (let host = 0; host < 100_100; host++) if (take(host)) allowed++;
  expect(allowed).toBe(3);
});
