import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './public-addresses.ts';

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
