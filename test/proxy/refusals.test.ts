import { connect } from 'node:net';
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

test('the path of a batch refuses GET, though a template matches it', async () => {
  for (const url of ['/v1/pois/catchment', '/v1/blocks/query', '/v1/exports/links']) {
    for (const method of ['GET', 'HEAD', 'PUT'] as const) {
      const { statusCode, headers } = await proxy.app.inject({ method, url });
      expect([method, url, statusCode, headers.allow]).toEqual([method, url, 405, 'POST']);
    }
  }
});

test('a path with a parameter that its route does not take is not found', async () => {
  const url = '/v1/isochrone/tiles/walk/%0D%0A1.json';
  const { statusCode } = await proxy.app.inject({ url });
  expect(statusCode).toBe(404);
});

test('an unknown HTTP method is refused with the methods that the path allows', async () => {
  const port = await proxy.listen();
  const said = (text: string) =>
    new Promise<string>((resolve) => {
      let response = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => {
        response += chunk;
      });
      socket.on('close', () => resolve(response));
    });
  const summary = '/v1/blocks/990010001001000/summary';
  const tile = '/v1/isochrone/tiles/walk/101/12/1251/1608.mvt';
  for (const [target, allow] of [
    ['/v1/health', 'GET, HEAD'],
    [`${summary}?mode=walk`, 'GET, HEAD'],
    ['/v1/blocks/query', 'POST'],
    ['/v1/point/summary', 'GET, HEAD, POST'],
    // The path of a batch, which the template of a POI matches too.
    ['/v1/pois/catchment', 'POST'],
    [tile, 'GET, HEAD'],
  ]) {
    for (const method of ['FOO', 'get', 'BREW-COFFEE']) {
      const response = await said(`${method} ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [head, body] = response.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
      expect(head.split('\r\n')).toContain(`Allow: ${allow}`);
      expect(head.toLowerCase()).toContain('access-control-allow-origin: *');
      const path = target.split('?')[0];
      expect(JSON.parse(body)).toMatchObject({
        type: 'https://problems.example.org/method-not-allowed',
        status: 405,
        detail: `${path} allows ${allow}, not ${method}`,
      });
    }
  }
  const nowhere = await said('FOO /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(nowhere).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
  for (const none of ['\x16\x03\x01\x02', 'FOO\r\n\r\n', 'FOO /v1/health\r\n\r\n', '<x/>\n']) {
    expect(await said(none)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  }
});

test('the problem of a body that is too large states the maximum size', async () => {
  const { key } = await proxy.customer();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await proxy.app.inject({
    method: 'POST',
    url: '/v1/blocks/query',
    headers,
    payload: 'x'.repeat(2 ** 20 + 1),
  });
  expect([response.statusCode, response.json().detail]).toEqual([
    413,
    'the body exceeds the limit of 1,048,576 bytes',
  ]);
});

test('a path without a route is not found, even with an unreadable body', async () => {
  for (const payload of ['{a}', 'x'.repeat(2 ** 21)]) {
    const headers = { 'content-type': 'application/json' };
    const response = await proxy.app.inject({
      method: 'POST',
      url: '/v1/nothing',
      headers,
      payload,
    });
    expect([response.statusCode, response.json().type]).toEqual([
      404,
      'https://problems.example.org/not-found',
    ]);
  }
});

test('problem types and servers are URLs without a doubled slash, and types lead to pages', async () => {
  const { type } = (await proxy.get('/v1/nothing')).json();
  expect(type).toBe('https://problems.example.org/not-found');
  expect((await proxy.get(new URL(type).pathname)).statusCode).toBe(200);
  const document = (await proxy.get('/openapi.json')).json();
  expect(document.servers).toEqual([{ url: 'https://api.example.org' }]);
});

test('the document lists exactly the statuses that a probe may have', async () => {
  const { paths } = (await proxy.get('/openapi.json')).json();
  expect(Object.keys(paths['/v1/health'].get.responses)).toEqual(['200', '400', '500']);
  const unready = paths['/v1/ready'].get.responses[503].content;
  expect(Object.keys(unready)).toEqual(['application/json']);
});
