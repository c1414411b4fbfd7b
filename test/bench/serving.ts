import path from 'node:path';
import { geoidFromNumber } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release/release.ts';
import { startServer } from '../support/server-process.ts';
import type { Built } from './built.ts';
import { contest } from './contest.ts';
import { openAccounts, startService } from './service.ts';
import { ask } from './wrk.ts';

const BARE_SERVER = path.resolve('dist/test/bench/bare-server.js');
const ROUNDS = 5;

/**
 * Measures a hot summary and its 304, with key check, rate limit and debit, against a bare Fastify
 * route that sends the same bytes.
 */
export async function benchServing({ store, release, folder }: Built): Promise<void> {
  const ledger = path.join(folder, 'ledger');
  const [key] = await openAccounts(ledger, 1);
  const target = { path: `/v1/blocks/${await busyBlock(release)}/summary`, key };
  const service = await startService(store, ledger);
  const response = await ask(service.address, target);
  const etag = response.headers.get('etag')!;
  const bare = await startServer([BARE_SERVER], {
    BARE_PATH: '/v1/blocks/:geoid/summary',
    BARE_BODY: await response.text(),
  });
  const hot = { address: service.address, pids: [service.pid], targets: [target] };
  try {
    const contestants = {
      bare: { address: bare.address, pids: [bare.pid], targets: [target] },
      hot_summary: hot,
      not_modified: { ...hot, headers: { 'If-None-Match': etag } },
    };
    const over = [
      ['hot_summary', 'bare'],
      ['not_modified', 'bare'],
    ] as const;
    await contest('serve', contestants, over, ROUNDS);
  } finally {
    await Promise.all([service, bare].map((server) => server.stop()));
  }
}

/** A block with results. */
export async function busyBlock(release: Release): Promise<string> {
  const index = await release.index(release.counties[0].manifest);
  return geoidFromNumber(index.geoids.find((_, block) => index.isRoutable(block))!);
}
