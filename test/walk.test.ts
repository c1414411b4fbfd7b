import path from 'node:path';
import { expect, test } from 'vitest';
import { HttpVisitor } from './support/http-visitor.ts';
import { startServer } from './support/server-process.ts';
import { folderOfTests } from './support/temporary-folder.ts';
import { tta } from './support/tta.ts';

const folder = folderOfTests();
const at = (name: string) => path.join(folder, name);

test('a demo city is built and served; a newcomer signs up, makes a key, pays for a request once, and opens the map', async () => {
  expect(await tta('demo', '--blocks', '500', '--out', at('city'))).toMatchObject({ code: 0 });
  const inputs = ['--inputs', at('city')];
  expect(await tta('build', ...inputs, '--out', at('store'))).toMatchObject({ code: 0 });

  const env = { VAR_DIR: at('var'), STORE: at('store'), PORT: '0', PORTAL_PORT: '0' };
  const service = await startServer([path.resolve('dist/infra/start.js')], env, {
    until: /curl .*\n/,
  });
  try {
    const printed = (name: string) => new RegExp(`${name} +(http://\\S+)`).exec(service.said())![1];
    const portal = new URL(printed('Portal')).origin;
    const visitor = new HttpVisitor(portal);
    const email = 'newcomer@example.org';
    expect((await visitor.post('/auth/request', { email })).status).toBe(202);
    let mails = '';
    while (!mails.includes(email)) mails = await (await fetch(printed('Mail'))).text();
    const [code] = /\b\d{6}\b/.exec(mails)!;
    expect((await visitor.post('/auth/verify-code', { email, code })).status).toBe(200);
    const { key } = (await (await visitor.post('/keys', { label: 'walk' })).json()) as {
      key: string;
    };

    const api = printed('API');
    const [, summary] = /'(http\S+\/summary\S*)'/.exec(service.said())!;
    const authorization = `Bearer ${key}`;
    const tokensLeft = async () => {
      const response = await fetch(`${api}/v1/tokens`, { headers: { authorization } });
      return ((await response.json()) as { tokens_remaining: number }).tokens_remaining;
    };
    const granted = await tokensLeft();
    const paid = await fetch(summary, { headers: { authorization } });
    const { results } = (await paid.json()) as { results: unknown[] };
    expect(results.length).toBeGreaterThan(10);
    expect(await tokensLeft()).toBe(granted - results.length);

    const etag = paid.headers.get('etag')!;
    const again = await fetch(summary, { headers: { authorization, 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expect(await tokensLeft()).toBe(granted - results.length);

    const map = await fetch(printed('Map'));
    expect(map.status).toBe(200);
    const [, script] = /<script[^>]+src="([^"]+)"/.exec(await map.text())!;
    expect((await fetch(new URL(script, portal))).headers.get('content-type')).toMatch(
      /javascript/,
    );
  } finally {
    expect(await service.stop()).toBe(0);
  }
});
