import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

/** Thrown for a host without a public address. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic';

  constructor(address: string) {
    super(`is at ${address}, not a public address`);
  }
}

/**
 * Keeps a catalogue or a redirect from leading into the network that the command runs in: hosts
 * that the user has not named must have public addresses. The check applies to the address actually
 * connected to, so that a name whose address changes between two lookups cannot bypass it. Through
 * a proxy, only literal addresses are checked, since the proxy resolves names.
 */
export class HostGuard {
  readonly #named: ReadonlySet<string>;

  /** `named` are hosts that may have any address, such as `mirror.internal` or `10.1.2.3:8080`. */
  constructor(named: readonly string[]) {
    this.#named = new Set(named);
  }

  /** Throws a `NotPublic` for a literal address; names are checked by the connector. */
  check(url: URL): void {
    const address = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(address) !== 0 && !this.#isNamed(url) && !isPublicAddress(address)) {
      throw new NotPublic(address);
    }
  }

  /** Returns a connector to any address of named hosts, and to public addresses of other hosts. */
  connector(timeout: number): buildConnector.connector {
    const anywhere = buildConnector({ timeout });
    const toPublic = buildConnector({ timeout, lookup: lookupPublic });
    return (options, callback) => {
      const isNamed = this.#isNamed(new URL(`${options.protocol}//${options.host}`));
      return (isNamed ? anywhere : toPublic)(options, callback);
    };
  }

  #isNamed(url: URL): boolean {
    return this.#named.has(url.hostname) || this.#named.has(hostOf(url));
  }
}

/** A URL's host with its port, including a default one. */
export function hostOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/**
 * Resolves a name and drops addresses that are not public; fails with `NotPublic` if none is left.
 */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, []);
    const open = found.filter(({ address }) => isPublicAddress(address));
    if (open.length === 0) return callback(new NotPublic(found[0].address), []);
    if (options.all) return callback(null, open);
    callback(null, open[0].address, open[0].family);
  });
};

/** Prefix that NAT64 puts before an embedded IPv4 address (RFC 6052). */
const TRANSLATED = '64:ff9b::';
const TRANSLATED_BITS = 96;

/**
 * Whether an IP address is public: false for private, loopback, link-local, shared, reserved,
 * documentation and multicast addresses, including when IPv6 wraps such an IPv4 address. Based on
 * the IANA registries (RFC 6890).
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  // An address with a zone (fe80::1%eth0) is link-local.
  if (version === 0 || address.includes('%')) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return GLOBAL.check(address, family) && !SPECIAL.check(address, family);
}

/**
 * Ranges from which public addresses are allocated at all. `BlockList` unwraps `::ffff:a.b.c.d`
 * itself.
 */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('0.0.0.0', 0, 'ipv4');
GLOBAL.addSubnet('2000::', 3, 'ipv6');
GLOBAL.addSubnet(TRANSLATED, TRANSLATED_BITS, 'ipv6');

/** Ranges within `GLOBAL` that contain no public hosts. */
const SPECIAL = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by the customers of a carrier
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local; clouds serve machine credentials at 169.254.169.254
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays, deprecated
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
