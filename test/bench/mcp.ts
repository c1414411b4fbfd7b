import path from 'node:path';
import type { Built } from './built.ts';
import { figure } from './figure.ts';
import { loadWatched } from './load-watched.ts';
import { openAccounts } from './service.ts';
import { someBlocks } from './targets.ts';
import type { Target } from './wrk.ts';

const SESSIONS = 200;
const BLOCKS = 500;
const SECONDS = 5;
const WANTED_MS = 20;

/**
 * Measures how long the event loop is held by 200 concurrent clients, half of whose requests go to
 * the tools and half to ordinary routes.
 */
export async function benchMcp({ store, release, place, folder }: Built): Promise<void> {
  const ledger = path.join(folder, 'mcp-ledger');
  const [key] = await openAccounts(ledger, 1);
  const blocks = await someBlocks(release, BLOCKS);
  const targets = blocks.flatMap((block, i): Target[] => [
    { path: '/mcp', key, body: JSON.stringify(messageAbout(block, i)) },
    { path: `/v1/blocks/${block}/summary?mode=walk&type=101`, key },
  ]);
  const { held, p50, p99, rate } = await loadWatched(store, ledger, targets, SECONDS, SESSIONS);
  const about = { p999_ms: held.p999, wanted_ms: WANTED_MS, p50_ms: p50, p99_ms: p99, rate, place };
  figure('mcp.loop_held', held.max, 'ms', about);
}

/** A message of an assistant: three in four call a tool, the others request the list of tools. */
function messageAbout(block: string, i: number): object {
  const call = (name: string, args: object) => {
    return { jsonrpc: '2.0', id: i, method: 'tools/call', params: { name, arguments: args } };
  };
  switch (i % 4) {
    case 0:
      return { jsonrpc: '2.0', id: i, method: 'tools/list' };
    case 1:
      return call('reach_from', { origin: block, mode: 'bike' });
    case 2:
      return call('list_types', { query: 'park' });
    default:
      return call('explain_block', { origin: block, types: ['groceries', 'parks'] });
  }
}
