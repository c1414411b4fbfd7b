import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import { ReleaseSource } from '../../shards/release/release-source.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { startServer } from '../support/server-process.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const TTA = path.resolve('dist/infra/cli/tta.js');

/** Timeout that ends commands that hang. */
const PATIENCE_MS = 300_000;
const MAIL_COMES = "until grep -qsE '^ +[0-9]{6}' var/mail/*.eml; do sleep 0.1; done";

const folder = folderOfTests();
let redis: RedisServer | undefined;
let block: string;
/** Commands of the portal's document. */
let commands: string[];
beforeAll(async () => {
  redis = await startRedis();
  block = await someBlock();
  const text = await readFile('infra/docs/portal.md', 'utf8');
  const written = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block.trim());
  const [, request, ...others] = written.join('\n').split('\n');
  // A busy machine takes longer than the second that the document waits for the mail.
  expect(request).toMatch(/; sleep 1$/);
  commands = [request.replace(/sleep 1$/, MAIL_COMES), ...others];
});
afterAll(() => redis?.stop());

async function someBlock(): Promise<string> {
  const store = new FolderStore(inject('demoStore'));
  const releases = new ReleaseSource(store, new ReleaseCache(1 << 26));
  await releases.refresh();
  const release = releases.current;
  const index = await release.index(Object.values(release.manifest.counties)[0]);
  await store.close();
  for (let i = 0; i < index.count; i++) {
    if (index.isRoutable(i)) return String(index.geoids[i]).padStart(15, '0');
  }
  throw new Error('no block of the demo city is near a street');
}

/** Starts a listening command of the built program. */
const started = (cwd: string, ...args: string[]) =>
  startServer([TTA, ...args, '--port', '0'], {}, { cwd });

describe.each(['SQLite', 'Redis'])('on %s', (kind) => {
  test('the commands of the document lead from an address to a metered response', async () => {
    const cwd = path.join(folder, kind);
    await mkdir(cwd);
    const ledger = kind === 'SQLite' ? `sqlite:${path.join(cwd, 'ledger')}` : redis!.address();
    const api = await started(cwd, 'serve', '--store', inject('demoStore'), '--ledger', ledger);
    const portal = await started(cwd, 'portal', '--ledger', ledger);
    try {
      const env = { ...process.env, PORTAL: portal.address, API: api.address, BLOCK: block };
      const script = ['set -euo pipefail', ...commands].join('\necho\n');
      const { stdout } = await run('bash', ['-c', script], { cwd, env, timeout: PATIENCE_MS });
      expect(stdout).toContain('{"sent":true}');
      expect(stdout).toContain(
        '{"email":"you@example.org","tokens_remaining":5000,"membership":null}',
      );
      // The first response is by key, the second by browser token.
      expect(stdout.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
      const charged = Number(/x-tokens-charged: (\d+)/i.exec(stdout)![1]);
      expect(charged).toBeGreaterThan(0);
      expect(stdout).toMatch(new RegExp(`x-tokens-remaining: ${5_000 - charged}\\r`, 'i'));
      const [, usage] = /(\{"days":.*\})/.exec(stdout)!;
      expect(JSON.parse(usage).days).toMatchObject([
        { route: 'GET /v1/blocks/{geoid}/summary', requests: 1, tokens: charged },
      ]);

      const args = [TTA, 'accounts', 'show', '--ledger', ledger, '--json', 'you@example.org'];
      const shown = JSON.parse((await run(process.execPath, args)).stdout);
      expect(shown).toMatchObject({ sessions: 1, membership: null });
      expect(shown.audit.map(({ what }: { what: string }) => what)).toEqual([
        'key-created',
        'signed-in',
        'tokens-granted',
        'account-opened',
      ]);
    } finally {
      expect([await portal.stop(), await api.stop()]).toEqual([0, 0]);
    }
  });
});
