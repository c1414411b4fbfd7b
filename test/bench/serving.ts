import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { openRelease, ReleaseCache } from '../../shards/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { figure, median } from './figure.ts';

const run = promisify(execFile);
const TTA = path.resolve('dist/infra/cli/tta.js');
const CONNECTIONS = 64;
const SECONDS = 4;
const ROUNDS = 5;

/**
 * A hot summary, and its 304, through key check, rate limit and debit, over a bare Fastify route
 * that sends the same bytes. Both servers run throughout; rounds alternate, so that what disturbs
 * the machine disturbs all alike.
 */
export async function benchServing(store: string, folder: string): Promise<void> {
  await ensureDebianPackage('wrk', 'wrk');
  const ledger = `lmdb:${path.join(folder, 'ledger')}`;
  const created = await run(process.execPath, [
    ...[TTA, 'keys', 'create', '--ledger', ledger, '--tokens', '1000000000000', '--json'],
  ]);
  const { key } = JSON.parse(created.stdout) as { key: string };
  const authorization = `Authorization: Bearer ${key}`;
  const service = await startServer(
    [TTA, 'serve', '--store', store, '--ledger', ledger, '--port', '0'],
    { RATE_LIMIT_PER_MINUTE: '1000000000' },
  );
  const target = `/v1/blocks/${await busyBlock(store)}/summary`;
  const answer = await fetch(service.address + target, {
    headers: { authorization: `Bearer ${key}` },
  });
  const body = await answer.text();
  const bare = await startServer([path.resolve('dist/test/bench/bare-server.js')], {
    BARE_PATH: '/v1/blocks/:geoid/summary',
    BARE_BODY: body,
  });
  try {
    const ifNoneMatch = `If-None-Match: ${answer.headers.get('etag')}`;
    const rates = { bare: [] as number[], hot: [] as number[], notModified: [] as number[] };
    for (let round = 0; round <= ROUNDS; round++) {
      const measured = {
        bare: await wrk(bare.address + target, [authorization]),
        hot: await wrk(service.address + target, [authorization]),
        notModified: await wrk(service.address + target, [authorization, ifNoneMatch]),
      };
      // The first round warms up.
      if (round === 0) continue;
      for (const kind of ['bare', 'hot', 'notModified'] as const) rates[kind].push(measured[kind]);
    }
    const about = { bytes: Buffer.byteLength(body), connections: CONNECTIONS };
    const ratio = (kind: 'hot' | 'notModified') =>
      median(rates[kind].map((rate, i) => rate / rates.bare[i]));
    figure('serve.bare_route', median(rates.bare), '1/s', about);
    figure('serve.hot_summary', median(rates.hot), '1/s', about);
    figure('serve.not_modified', median(rates.notModified), '1/s', about);
    figure('serve.hot_summary_over_bare', ratio('hot'), 'ratio', about);
    figure('serve.not_modified_over_bare', ratio('notModified'), 'ratio', about);
  } finally {
    for (const { child } of [service, bare]) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
}

async function startServer(
  args: string[],
  env: Record<string, string>,
): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout!) {
    said += chunk;
    const address = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
    if (address) {
      return { child, address };
    }
  }
  throw new Error(`${args[0]} ended before it listened: ${said}`);
}

async function wrk(url: string, headers: string[]): Promise<number> {
  const flags = headers.flatMap((header) => ['-H', header]);
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}`, ...flags, url];
  const { stdout } = await run('wrk', args);
  if (/Non-2xx/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]);
}

async function busyBlock(store: string): Promise<string> {
  const opened = new FolderStore(store);
  const release = await openRelease(opened, new ReleaseCache(1 << 28));
  const index = await release.index(Object.values(release.manifest.counties)[0]);
  await opened.close();
  let block = 0;
  while (!index.isRoutable(block)) block++;
  return geoidFromNumber(index.geoids[block]);
}
