import assert from 'node:assert/strict';
import path from 'node:path';
import { hashApiKey } from '../../proxy/ledger/api-key.ts';
import type { ServerProcess } from '../support/server-process.ts';
import type { Built } from './built.ts';
import { type Contestant, contest } from './contest.ts';
import { startTwin } from './postgis/start.ts';
import { openAccounts, startService, TOKENS } from './service.ts';
import { ROUTES } from './targets.ts';
import { ask } from './wrk.ts';

type Server = Pick<Contestant, 'address' | 'pids'>;

const ACCOUNTS = 64;
/** Responses of each route that are compared before anything is measured. */
const COMPARED = 40;
const UNCACHED = { RESPONSE_CACHE_BYTES: '0' };

/**
 * Measures the service against its twin on PostgreSQL and PostGIS, with the same rows, accounts,
 * requests and responses, in one run. `uncached` keeps no finished responses: each is read, decoded
 * and written afresh. Our service is one process, which handles requests on one of the machine's
 * cores; the twin's sessions have all cores.
 */
export async function benchAgainstPostgis(built: Built): Promise<void> {
  const { store, release, places, folder } = built;
  const ledger = path.join(folder, 'postgis-ledger');
  const keys = await openAccounts(ledger, ACCOUNTS);
  const running: ServerProcess[] = [];
  const started = async <Server extends ServerProcess>(starting: Promise<Server>) => {
    const server = await starting;
    running.push(server);
    return { pids: [server.pid], ...server };
  };
  try {
    const servers = {
      ours: await started(startService(store, ledger)),
      ours_uncached: await started(startService(store, ledger, UNCACHED)),
      postgis: await started(
        startTwin(release, places, { keyHashes: keys.map(hashApiKey), tokens: TOKENS }),
      ),
    };
    for (const [name, pathsOf] of Object.entries(ROUTES)) {
      const contestant = async (server: Server): Promise<Contestant> => {
        const paths = await pathsOf({ release, places, address: server.address, key: keys[0] });
        const targets = paths.map((path, i) => ({ path, key: keys[i % keys.length] }));
        return { address: server.address, pids: server.pids, targets };
      };
      const contestants = {
        ours: await contestant(servers.ours),
        ours_uncached: await contestant(servers.ours_uncached),
        postgis: await contestant(servers.postgis),
      };
      await compareResponses(contestants.ours, contestants.postgis);
      await contest(`against_postgis.${name}`, contestants, [
        ['ours', 'postgis'],
        ['ours_uncached', 'postgis'],
      ]);
    }
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}

/**
 * Asserts that both servers give the same responses, without which their speed cannot be compared.
 */
async function compareResponses(ours: Contestant, theirs: Contestant): Promise<void> {
  assert.equal(theirs.targets.length, ours.targets.length, 'the twin has other pages');
  assert.ok(ours.targets.length > 0, 'nothing to ask for');
  const step = Math.max(1, Math.floor(ours.targets.length / COMPARED));
  for (let i = 0; i < ours.targets.length; i += step) {
    const expected = await responseOf(ours, i);
    assert.equal(await responseOf(theirs, i), expected, `${ours.targets[i].path}: they differ`);
  }
}

async function responseOf({ address, targets }: Contestant, i: number): Promise<string> {
  const text = await (await ask(address, targets[i])).text();
  return text.replace(/"next_cursor":"[^"]*"/, '"next_cursor":"…"');
}
