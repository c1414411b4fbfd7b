import { expect, inject, test } from 'vitest';
import { withoutSecrets } from '../../proxy/http/access-log.ts';
import { openCustomer, withLedger } from '../support/account-totals.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { TTA } from '../support/tta.ts';

const folder = folderOfTests();
/** Starts a server of the command, which runs until the test has ended. */
const started = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  ofThisTest(startServer([TTA, ...args, '--port', '0'], env));
/** Complete output of a server. */
const words = (server: ServerProcess) => server.said() + server.noise();

test('the log has a line per request, with its id and route and without private data', async () => {
  const ledger = `${folder}/ledger`;
  const { key } = await withLedger(ledger, (open) => openCustomer(open, { tokens: 100 }));
  const at = ['--ledger', `sqlite:${ledger}`];
  const api = await started(['serve', '--store', inject('demoStore'), ...at], {
    LOG_LEVEL: 'debug',
  });
  const portal = await started(['portal', ...at], {
    LOG_LEVEL: 'debug',
    VAR_DIR: folder,
    MAIL_FROM: 'no-reply@sender.example',
    // The port is closed, so that the mailer's error is logged.
    SMTP_URL: 'smtp://mailer:hunter2@127.0.0.1:9',
  });
  const email = 'ada.lovelace@private.example';
  const authorization = `Bearer ${key}`;
  const ask = (server: { address: string }, path: string, init?: RequestInit) =>
    fetch(server.address + path, init);
  const headers = { authorization, 'x-request-id': 'told-by-client' };
  await ask(api, '/v1/tokens', { headers });
  await ask(api, `/v1/blocks/${key}/summary?mode=walk`, { headers: { authorization } });
  await ask(api, `/v1/places?q=${email}`);
  await ask(api, `/v1/places?key=${key}&email=${email}`);
  await ask(api, `/${email}/%zz?token=${key}`);
  await ask(api, '/v1/tokens', { headers: { authorization: `Bearer ${key}x` } });
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email });
  await ask(portal, '/auth/request', { method: 'POST', headers: json, body });
  await ask(portal, `/auth/verify?token=${key}`);
  await expect.poll(() => words(portal)).toMatch(/"level":50/);
  await Promise.all([api.stop(), portal.stop()]);

  const lines = (words(api) + words(portal)).split('\n').filter((line) => line.startsWith('{'));
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries).toContainEqual(
    expect.objectContaining({
      reqId: 'told-by-client',
      route: 'GET /v1/tokens',
      status: 200,
      msg: 'request',
    }),
  );
  expect(entries.filter(({ msg }) => msg === 'request').length).toBeGreaterThanOrEqual(7);
  for (const secret of [key, key.slice(8), email, 'private.example', 'hunter2']) {
    expect(words(api)).not.toContain(secret);
    expect(words(portal)).not.toContain(secret);
  }
});

test.each([
  ['a key ta_live_abcDEF123, cut off too: ta_live_ab', 'a key ta_live_…, cut off too: ta_live_…'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer …'],
  ['"550 <o\'neil+x@mail.example.org> rejected"', '"550 <o\'…@…> rejected"'],
  ['connect redis://user:word@host:6379/0', 'connect redis://…@host:6379/0'],
  ['GET /auth/verify?token=abc&x=1 HTTP/1.1', 'GET /auth/verify?… HTTP/1.1'],
  ['is the server up, and the address right?', 'is the server up, and the address right?'],
  [
    'node_modules/@aws-sdk/client-s3/dist/index.js:1:2',
    'node_modules/@aws-sdk/client-s3/dist/index.js:1:2',
  ],
  ['sk_live_0123456789 whsec_0123456789', 'secret_… secret_…'],
])('private data is removed from a log line: %s', (line, left) => {
  expect(withoutSecrets(line)).toBe(left);
});

test('redacting any text takes time in proportion to its length', () => {
  const units = ['@', '@.', 'a@', 'a.', 'a@a.', '://:', '://a:', '?', '?a=', 'Bearer ', 'ta_live_'];
  const seconds = (text: string) => {
    const rounds = Array.from({ length: 5 }, () => {
      const begun = process.cpuUsage();
      withoutSecrets(text);
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    });
    return Math.min(...rounds) / 1e6;
  };
  for (const unit of units) {
    withoutSecrets(unit.repeat(1_000));
    const [short, long] = [4_000, 64_000].map((n) => seconds(unit.repeat(n / unit.length)));
    // At sixteen times the length, a quadratic pattern takes 256 times as long.
    expect([unit, long < 80 * Math.max(short, 1e-3)]).toEqual([unit, true]);
  }
});
