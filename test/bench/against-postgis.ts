import assert from 'node:assert/strict';
import path from 'node:path';
import { hashApiKey } from '../../portal/accounts/api-key.ts';
import type { ServerProcess } from '../support/server-process.ts';
import type { Built } from './built.ts';
import { type Contestant, contest } from './contest.ts';
import { startTwin } from './postgis/start.ts';
import { openAccounts, startService, TOKENS } from './service.ts';
import { ROUTES } from './targets.ts';
import { ask } from './wrk.ts';

const ACCOUNTS = 64;
/** Answers of each route that are compared before anything is measured. */
const COMPARED = 40;

/**
 * The service against its twin on PostgreSQL and PostGIS: the same rows, accounts, requests and
 * answers, in the same run. `ours_uncached` keeps no finished answers: each is read, decoded and
 * written anew.
 */
export async function benchAgainstPostgis(built: Built): Promise<void> {
  const { store, release, places, folder } = built;
  const ledger = path.join(folder, 'postgis-ledger');
  const keys = await openAccounts(ledger, ACCOUNTS);
  const running: ServerProcess[] = [];
  const started = async (starting: Promise<ServerProcess>) => {
    running.push(await starting);
    return running.at(-1)!.address;
  };
  try {
    const servers = {
      ours: await started(startService(store, ledger)),
      ours_uncached: await started(startService(store, ledger, { ANSWER_CACHE_BYTES: '0' })),
      postgis: await started(
        startTwin(release, places, { keyHashes: keys.map(hashApiKey), tokens: TOKENS }),
      ),
    };
    for (const [name, pathsOf] of Object.entries(ROUTES)) {
      const contestant = async (address: string): Promise<Contestant> => {
        const paths = await pathsOf({ release, places, address, key: keys[0] });
        const targets = paths.map((path, i) => ({ path, key: keys[i % keys.length] }));
        return { address, targets };
      };
      const contestants = {
        ours: await contestant(servers.ours),
        ours_uncached: await contestant(servers.ours_uncached),
        postgis: await contestant(servers.postgis),
      };
      await compareAnswers(contestants.ours, contestants.postgis);
      await contest(`against_postgis.${name}`, contestants, [
        ['ours', 'postgis'],
        ['ours_uncached', 'postgis'],
      ]);
    }
  } finally {
    await Promise.all(running.map((server) => server.stop()));
  }
}

/** A comparison of speed means nothing where the answers differ. */
async function compareAnswers(ours: Contestant, theirs: Contestant): Promise<void> {
  assert.equal(theirs.targets.length, ours.targets.length, 'the twin has other pages');
  assert.ok(ours.targets.length > 0, 'nothing to ask for');
  const step = Math.max(1, Math.floor(ours.targets.length / COMPARED));
  for (let i = 0; i < ours.targets.length; i += step) {
    const expected = await answerOf(ours, i);
    assert.equal(await answerOf(theirs, i), expected, `${ours.targets[i].path}: they differ`);
  }
}

async function answerOf({ address, targets }: Contestant, i: number): Promise<string> {
  const text = await (await ask(address, targets[i])).text();
  return text.replace(/"next_cursor":"[^"]*"/, '"next_cursor":"…"');
}
