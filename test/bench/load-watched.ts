import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startService } from './service.ts';
import { type Load, load, type Target } from './wrk.ts';

const LOOP_DELAY = pathToFileURL(path.resolve('dist/test/bench/loop-delay.js')).href;

/** How long an event loop was held, in milliseconds. */
export interface Held {
  readonly max: number;
  /** The 99.9th percentile of the turns. */
  readonly p999: number;
}

/** Media types that MCP requires a client to accept; the other routes choose JSON. */
const ANY = 'application/json, text/event-stream';

/**
 * Loads the service by one client or more, with warm caches and no response caching. Also returns
 * how long the load held the service's event loop.
 */
export async function loadWatched(
  store: string,
  ledger: string,
  targets: readonly Target[],
  seconds: number,
  connections = 1,
): Promise<Load & { held: Held }> {
  const delayFile = path.join(ledger, 'loop-delay.json');
  const { address, pid, stop } = await startService(store, ledger, {
    RESPONSE_CACHE_BYTES: '0',
    FREE_RATE_LIMIT_PER_MINUTE: '1000000000',
    LOOP_DELAY_FILE: delayFile,
    NODE_OPTIONS: `--import=${LOOP_DELAY}`,
  });
  const options = { seconds, connections, headers: { accept: ANY } };
  try {
    await load(address, targets, options);
    process.kill(pid, 'SIGWINCH');
    const measured = await load(address, targets, options);
    await stop();
    return { ...measured, held: JSON.parse(await readFile(delayFile, 'utf8')) };
  } finally {
    await stop();
  }
}
