import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mintApiKey } from '../../proxy/ledger/api-key.ts';
import { openLedger, openLedgerToServe } from '../../proxy/ledger/open-ledger.ts';
import { openCustomer } from '../support/account-totals.ts';
import { startRedis } from '../support/redis-server.ts';
import { startServer } from '../support/server-process.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';
import { TTA } from '../support/tta.ts';

const county = smallCounty({ fips: '24510', seed: 3, blocks: 12, pois: 60 });
const store = smallReleaseOfTests(county);
const folder = folderOfTests();
const redis = ofTests(() => startRedis());

test('a service that starts before its ledger serves free data, and the rest once the ledger is up', async () => {
  await redis.kill('SIGKILL');
  const serving = await ofThisTest(
    startServer([TTA, 'serve', '--port', '0', '--store', store, '--ledger', redis.address()]),
  );
  const ask = (route: string, key = mintApiKey()) =>
    fetch(`${serving.address}/v1/${route}`, { headers: { authorization: `Bearer ${key}` } });
  for (const route of ['health', 'meta/modes', 'isochrone/meta', 'last-updated']) {
    expect([route, (await ask(route)).status]).toEqual([route, 200]);
  }
  const ready = async () => (await (await ask('ready')).json()) as object;
  const unready = { ready: false, checks: { store: 'ok', ledger: 'unavailable' } };
  expect(await ready()).toMatchObject(unready);
  const refused = await ask('tokens');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.anything()]);
  await expect.poll(() => serving.noise()).toMatch(/ledger redis:\S+: cannot be reached/);

  await redis.restart();
  await expect.poll(ready, { interval: 50 }).toMatchObject({ ready: true });
  const ledger = await ofThisTest(openLedger(redis.address(), { rateLimitPerMinute: 1 }));
  const { key } = await openCustomer(ledger, { tokens: 100 });
  // A page of a response, whose cursor is sealed with a key kept in the ledger.
  const route = `blocks/${county.blocks[5].geoid}/pois?mode=walk&limit=1`;
  const first = (await (await ask(route, key)).json()) as { next_cursor: string };
  const next = await ask(`${route}&cursor=${first.next_cursor}`, key);
  expect([next.status, next.headers.get('x-tokens-remaining')]).toEqual([200, '98']);
});

test('a portal that starts before its ledger shows its pages, and signs customers in once the ledger is up', async () => {
  await redis.kill('SIGKILL');
  const portal = await ofThisTest(
    startServer([TTA, 'portal', '--port', '0', '--ledger', redis.address()], { VAR_DIR: folder }),
  );
  const asked = () =>
    fetch(`${portal.address}/auth/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.org' }),
    });
  for (const page of ['/', '/health', '/openapi.json']) {
    expect([page, (await fetch(portal.address + page)).status]).toEqual([page, 200]);
  }
  const ready = async () => (await fetch(`${portal.address}/ready`)).status;
  expect(await ready()).toBe(503);
  const refused = await asked();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.anything()]);
  await redis.restart();
  await expect.poll(ready, { interval: 50 }).toBe(200);
  expect((await asked()).status).toBe(202);
});

test('a server that stops while its ledger is down stops trying to reach it', async () => {
  let looks = 0;
  const nobody = createServer((socket) => {
    looks++;
    socket.destroy();
  });
  await once(nobody.listen(0, '127.0.0.1'), 'listening');
  const { port } = nobody.address() as AddressInfo;
  const ledger = await openLedgerToServe(`redis://127.0.0.1:${port}`, {
    rateLimitPerMinute: 1,
    warn: () => {},
  });
  const looked = looks;
  await expect.poll(() => looks, { interval: 20 }).toBeGreaterThan(looked);
  await ledger.close();
  const before = looks;
  await pause(1_500);
  expect(looks).toBe(before);
  nobody.close();
});

test('a ledger error that waiting cannot fix ends the start with one line', async () => {
  const file = path.join(folder, 'no-folder');
  await writeFile(file, '');
  await redis.kill('SIGKILL');
  await redis.restart();
  await redis.cli('config', 'set', 'requirepass', 'open');
  for (const [ledger, words] of [
    [redis.address(), 'rejects this user and password'],
    [`redis+cluster://127.0.0.1:${redis.port}`, 'rejects this user and password'],
    [`redis+cluster://:open@127.0.0.1:${redis.port}`, 'is not a cluster; use redis://HOST:PORT'],
    [`sqlite:${file}`, 'no-folder'],
  ]) {
    const serve = ['serve', '--store', store];
    for (const program of [serve, ['portal']]) {
      const starting = startServer([TTA, ...program, '--port', '0', '--ledger', ledger]);
      await expect(starting).rejects.toThrow(
        new RegExp(`did not start: tta: [^\\n]*${words}[^\\n]*\n$`),
      );
    }
  }
});
