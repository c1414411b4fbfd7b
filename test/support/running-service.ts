import { type Serving, serve } from '../../infra/serve.ts';
import { serveSchema, serveSettings } from '../../infra/settings/api-server.ts';
import { readSettings } from '../../infra/settings/read-settings.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { openCustomer } from './account-totals.ts';
import { freePort } from './free-port.ts';

/** The service as `tta serve` starts it, in this process, and one of its customers. */
export interface RunningService extends Serving {
  readonly account: string;
  readonly key: string;
  /** Sends a request with the customer's key. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/**
 * Starts a service on free ports, over a SQLite ledger in `folder` unless `env` names another one.
 */
export async function runService(
  store: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const ledger = env.LEDGER ?? `sqlite:${folder}/ledger`;
  const quiet = { LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '1000000', SHED_AT_LAG_MS: '0' };
  const open = { PORT: `${await freePort()}`, FREE_RATE_LIMIT_PER_MINUTE: '1000000' };
  const settings = readSettings(serveSchema, { store, ledger }, { ...quiet, ...open, ...env });
  const serving = await serve(serveSettings(settings, '1.0.0'));
  const { account, key } = await openCustomer(serving.ledger, { tokens: 1e7 });
  return {
    ...serving,
    account,
    key,
    ask: (path, init = {}) =>
      fetch(serving.address + path, {
        ...init,
        headers: { authorization: `Bearer ${key}`, ...init.headers },
      }),
  };
}

/** Blocks of the release's first county with outgoing times. */
export async function linkedBlocks({ releases }: Serving, count: number): Promise<string[]> {
  const release = releases.current;
  const index = await release.index(release.counties[0].manifest);
  const ordinals = Array.from({ length: index.count }, (_, i) => i);
  const linked = ordinals.filter((i) => index.isRoutable(i)).slice(0, count);
  return linked.map((i) => geoidFromNumber(index.geoids[i]));
}
