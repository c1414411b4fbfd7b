import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ask, load, type Target } from './wrk.ts';

/** Duration of a load, in which a busy machine must start wrk and send a hundred requests. */
const SECONDS = 5;
const TARGETS: readonly Target[] = [
  { path: '/a?bbox=1,2', key: 'one' },
  { path: '/b', key: 'two' },
  { path: '/c', body: '{"origins":["a","b"]}' },
];

async function withServer<T>(
  listener: RequestListener,
  use: (address: string) => Promise<T>,
): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a load sends every target unchanged, in turn, with the common headers', async () => {
  const seen: string[] = [];
  const listener: RequestListener = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization, accept } = request.headers;
    seen.push([request.method, request.url, authorization, accept, body].join(' '));
    response.end();
  };
  const { requests, rate, p50, p99 } = await withServer(listener, (address) =>
    load(address, TARGETS, { seconds: SECONDS, connections: 1, headers: { Accept: 'text/csv' } }),
  );
  const expected = [
    'GET /a?bbox=1,2 Bearer one text/csv ',
    'GET /b Bearer two text/csv ',
    'POST /c  text/csv {"origins":["a","b"]}',
  ];
  expect(seen.length).toBeGreaterThan(expected.length);
  // wrk calls its script once for a request that it does not send, so it may start with any.
  const first = expected.indexOf(seen[0]);
  expect(seen).toEqual(seen.map((_, i) => expected[(first + i) % expected.length]));
  expect(requests).toBeLessThanOrEqual(seen.length);
  expect(rate).toBeGreaterThan(0);
  expect(p99).toBeGreaterThanOrEqual(p50);
});

test('a load in which one request in a hundred fails is refused', async () => {
  let served = 0;
  const listener: RequestListener = (_request, response) => {
    response.statusCode = served++ % 100 === 99 ? 503 : 200;
    response.end();
  };
  const loading = withServer(listener, (address) => load(address, TARGETS, { seconds: SECONDS }));
  await expect(loading).rejects.toThrow(/failed requests/);
});

test('a single request to a target equals the one that a load sends', async () => {
  const listener: RequestListener = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization } = request.headers;
    response.end([request.method, request.url, authorization, body].join(' '));
  };
  const responses = await withServer(listener, (address) =>
    Promise.all(TARGETS.map(async (target) => (await ask(address, target)).text())),
  );
  expect(responses).toEqual([
    'GET /a?bbox=1,2 Bearer one ',
    'GET /b Bearer two ',
    'POST /c  {"origins":["a","b"]}',
  ]);
});
