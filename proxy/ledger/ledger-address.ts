type LedgerAddress = { readonly kind: 'sqlite'; readonly directory: string } | RedisAddress;

export interface RedisAddress {
  readonly kind: 'redis' | 'sentinel' | 'cluster';
  /** Display name: the address without user and password. */
  readonly shown: string;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly isEncrypted: boolean;
  readonly username?: string;
  readonly password?: string;
  /** Name of the master that the sentinels watch; absent for other kinds. */
  readonly master?: string;
  readonly database: number;
}

export const LEDGER_FORMS =
  'sqlite:DIR, redis://HOST[:PORT][/DB], redis+sentinel://HOST[:PORT],…/MASTER[/DB] or ' +
  'redis+cluster://HOST[:PORT],…; use rediss instead of redis for TLS, and put USER:PASSWORD@ ' +
  'before the hosts';

const REDIS_ADDRESS = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:(.*)@)?([^/@]+)(?:\/(.*))?$/;
const PORTS = { redis: 6379, sentinel: 26_379, cluster: 6379 };

/** Parses an address; throws a `TypeError`, without its password, if it is invalid. */
export function parseLedgerAddress(text: string): LedgerAddress {
  const parsed = partsOf(text);
  if (typeof parsed === 'string') throw new TypeError(`${withoutPassword(text)}: ${parsed}`);
  return parsed;
}

export function ledgerAddressFault(text: string): string | null {
  const parsed = partsOf(text);
  return typeof parsed === 'string' ? parsed : null;
}

const NO_ADDRESS = `a ledger address must be ${LEDGER_FORMS}`;

function partsOf(text: string): LedgerAddress | string {
  const directory = /^sqlite:(.+)$/.exec(text)?.[1];
  if (directory !== undefined) return { kind: 'sqlite', directory };
  const [, scheme, way, user, hosts, path = ''] = REDIS_ADDRESS.exec(text) ?? [];
  if (hosts === undefined) return NO_ADDRESS;
  const kind = way === 'sentinel' || way === 'cluster' ? way : 'redis';
  const nodes = hosts.split(',').map((host) => hostOf(host, PORTS[kind]));
  const { master, database } = placeIn(kind, path) ?? {};
  if (nodes.includes(undefined) || database === undefined) return NO_ADDRESS;
  if (kind === 'redis' && nodes.length > 1) return NO_ADDRESS;
  const credentials = credentialsOf(user);
  if (!credentials) return 'user and password must be percent-encoded';
  return {
    kind,
    hosts: nodes.filter((node) => node !== undefined),
    database,
    master,
    isEncrypted: scheme === 'rediss',
    shown: withoutPassword(text),
    ...credentials,
  };
}

export function withoutPassword(address: string): string {
  return address.replace(/:(\/*).*@/s, ':$1');
}

function hostOf(text: string, defaultPort: number) {
  const [, bracketed, plain, port = String(defaultPort)] =
    /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  return host && Number(port) <= 65_535 ? { host, port: Number(port) } : undefined;
}

/** Parses the path of an address: a database, after a sentinel's master name. */
function placeIn(kind: RedisAddress['kind'], path: string) {
  const parts = path.split('/');
  const master = kind === 'sentinel' ? parts.shift() : undefined;
  const [database = '', ...more] = parts;
  const isDatabase = kind === 'cluster' ? database === '' : /^\d{0,6}$/.test(database);
  if (master === '' || !isDatabase || more.length > 0) return undefined;
  return { master, database: Number(database) };
}

function credentialsOf(user: string | undefined) {
  if (user === undefined) return {};
  const [name, ...password] = user.split(':');
  try {
    return {
      username: decodeURIComponent(name) || undefined,
      password: decodeURIComponent(password.join(':')) || undefined,
    };
  } catch {
    return undefined;
  }
}
