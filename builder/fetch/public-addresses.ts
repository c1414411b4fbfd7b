import { BlockList, isIP } from 'node:net';

/** The embedded IPv4 address of an IPv6-only network's translator stands behind this (RFC 6052). */
const TRANSLATED = '64:ff9b::';
const TRANSLATED_BITS = 96;

/**
 * Whether anybody on the Internet may be found at an IP address: false for private, loopback,
 * link-local, shared, reserved, documentation and multicast addresses, also where IPv6 wraps such an
 * IPv4 address. By the registries of IANA (RFC 6890).
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  // With a zone (fe80::1%eth0) it is of one link.
  if (version === 0 || address.includes('%')) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return GLOBAL.check(address, family) && !SPECIAL.check(address, family);
}

/** Where public addresses are handed out at all. `BlockList` unwraps `::ffff:a.b.c.d` itself. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('0.0.0.0', 0, 'ipv4');
GLOBAL.addSubnet('2000::', 3, 'ipv6');
GLOBAL.addSubnet(TRANSLATED, TRANSLATED_BITS, 'ipv6');

/** Ranges therein that are no one's public host. */
const SPECIAL = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by the customers of a carrier
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local; clouds keep their machines' credentials at 169.254.169.254
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays, given up
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const) {
  SPECIAL.addSubnet(net, bits, 'ipv4');
  SPECIAL.addSubnet(`${TRANSLATED}${net}`, TRANSLATED_BITS + bits, 'ipv6');
}
for (const [net, bits] of [
  ['2001::', 23], // protocol assignments, Teredo among them
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which wraps any IPv4 address
  ['3fff::', 20], // documentation
] as const) {
  SPECIAL.addSubnet(net, bits, 'ipv6');
}
