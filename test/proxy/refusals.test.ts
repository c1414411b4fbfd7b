import { expect, test } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests({
  config: { baseUrl: 'https://api.example.org/', problemBase: 'https://problems.example.org/' },
});

test('a known path refuses every other method with Allow, and an unknown one is not found', async () => {
  const { app } = proxy;
  const paths = ['/v1/health', '/v1/blocks/990010001001000/summary', '/openapi.json', '/not-found'];
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'] as 'POST'[]) {
    for (const url of paths) {
      const { statusCode, headers } = await app.inject({ method, url });
      expect([method, url, statusCode, headers.allow]).toEqual([method, url, 405, 'GET, HEAD']);
    }
    const { statusCode } = await app.inject({ method, url: '/v1/nothing' });
    expect([method, statusCode]).toEqual([method, 404]);
  }
});

test('where there is no route, a body that cannot be read is still not found', async () => {
  for (const payload of ['{a}', 'x'.repeat(2 ** 21)]) {
    const headers = { 'content-type': 'application/json' };
    const answer = await proxy.app.inject({ method: 'POST', url: '/v1/nothing', headers, payload });
    expect([answer.statusCode, answer.json().type]).toEqual([
      404,
      'https://problems.example.org/not-found',
    ]);
  }
});

test('problem types and servers are addresses without a doubled slash, and types lead to pages', async () => {
  const { type } = (await proxy.get('/v1/nothing')).json();
  expect(type).toBe('https://problems.example.org/not-found');
  expect((await proxy.get(new URL(type).pathname)).statusCode).toBe(200);
  const document = (await proxy.get('/openapi.json')).json();
  expect(document.servers).toEqual([{ url: 'https://api.example.org' }]);
});

test('the document tells of the statuses that a probe may have, and no other', async () => {
  const { paths } = (await proxy.get('/openapi.json')).json();
  expect(Object.keys(paths['/v1/health'].get.responses)).toEqual(['200', '400', '429', '500']);
  const unready = paths['/v1/ready'].get.responses[503].content;
  expect(Object.keys(unready)).toEqual(['application/json']);
});
