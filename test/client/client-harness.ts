import { beforeAll, onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../portal/client/src/index.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { proxyOfTests, type SharedProxy } from '../support/proxy-harness.ts';
import { openWire, type Wire } from '../support/wire.ts';

/** Modes and types with several rows per block. */
export const TYPES = { mode: ['walk', 'transit'], type: [101, 601] } as const;

/** Collects the items of an iteration. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const listed: T[] = [];
  for await (const item of items) listed.push(item);
  return listed;
}

/** A customer with a client that reaches the proxy over a wire with faults. */
export interface Customer {
  readonly client: Client;
  readonly wire: Wire;
  readonly key: string;
  /** Tokens that the ledger has charged so far. */
  spent(): Promise<number>;
}

export interface ClientTests {
  readonly proxy: SharedProxy;
  /** GEOIDs of the demo's first county. */
  readonly geoids: readonly string[];
  readonly baseUrl: string;
  customer(options?: Partial<ClientOptions> & { tokens?: number }): Promise<Customer>;
  /** Sends a plain request, and returns the parsed JSON body of the response. */
  plain(path: string, body?: object): Promise<Record<string, unknown>>;
}

/** Provides a listening proxy on the demo release to the tests of a file. */
export function clientTests(): ClientTests {
  const proxy = proxyOfTests();
  const own: { geoids: string[]; baseUrl: string } = { geoids: [], baseUrl: '' };
  beforeAll(async () => {
    own.baseUrl = `http://127.0.0.1:${await proxy.listen()}`;
    const release = proxy.releases.current;
    const index = await release.index(release.county('99001')!);
    own.geoids = Array.from(index.geoids, (geoid) => geoidFromNumber(geoid));
  });
  return Object.assign(own, {
    proxy,
    async customer({ tokens = 1e6, ...options }: Parameters<ClientTests['customer']>[0] = {}) {
      const { id, key } = await proxy.customer({ tokens });
      const wire = await openWire(own.baseUrl);
      onTestFinished(() => wire.close());
      const client = createClient({ baseUrl: wire.address, apiKey: key, ...options });
      return { client, wire, key, spent: async () => tokens - (await proxy.balance(id)) };
    },
    async plain(path: string, body?: object) {
      const sent = body ? proxy.post(path, proxy.key, body) : proxy.get(path, proxy.key);
      return (await sent).json();
    },
  });
}
