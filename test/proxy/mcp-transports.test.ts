import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, test, vi } from 'vitest';
import { createClient } from '../../portal/client/src/index.ts';
import { DrainingStdio } from '../../proxy/mcp/draining-stdio.ts';
import { mcpServer } from '../../proxy/mcp/mcp-server.ts';
import { requestOf, sendMessage, VERSIONS } from '../support/mcp-client.ts';
import { type ProxyHarness, proxyOfTests } from '../support/proxy-harness.ts';

/** A proxy whose debits take so long that a caller can leave meanwhile. */
const proxy = proxyOfTests({ debitDelayMs: 200 });
const publicProxy = proxyOfTests({ config: { baseUrl: 'https://api.example.org' } });

const SPENDING = {
  name: 'reach_from',
  arguments: { origin: '36,-70.0066', minutes: [10, 20, 30] },
};

/** Returns the address of a proxy, which listens from now on. */
async function addressOf({ app, listen }: ProxyHarness): Promise<string> {
  const address = app.server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : await listen()}`;
}

test('a caller who leaves before the result pays the minimum', async () => {
  const { id, key } = await proxy.customer({ tokens: 100 });
  const url = `${await addressOf(proxy)}/mcp`;
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify(requestOf('tools/call', SPENDING, '2025-06-18'));
  const charge = vi.spyOn(proxy.app.services.charges, 'open');
  const debit = vi.spyOn(proxy.ledger, 'debit');
  const refund = vi.spyOn(proxy.ledger, 'refund');
  const leaving = new AbortController();
  const left = fetch(url, { method: 'POST', headers, body, signal: leaving.signal });
  // The caller leaves within the delay of the debit.
  await expect.poll(() => charge.mock.calls.length, { interval: 1 }).toBe(1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await expect.poll(() => refund.mock.calls.map(([, tokens]) => tokens)).toEqual([2]);
  expect(debit).toHaveBeenCalledOnce();
  await expect.poll(() => proxy.balance(id)).toBe(99);

  const stays = await fetch(url, { method: 'POST', headers, body });
  expect(await stays.text()).toContain('(3 tokens, 96 left)');
  expect(await proxy.balance(id)).toBe(96);
});

test('a caller who leaves while a tool is at work is not charged', async () => {
  const { id, key } = await publicProxy.customer({ tokens: 100 });
  const url = `${await addressOf(publicProxy)}/mcp`;
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json',
  };
  const body = JSON.stringify(requestOf('tools/call', SPENDING, '2025-06-18'));
  const { ledger, app } = publicProxy;
  const left = new Promise<void>((resolve) => {
    app.server.once('connection', (socket) => socket.once('close', () => resolve()));
  });
  const leaving = new AbortController();
  const admit = ledger.admit.bind(ledger);
  const read = publicProxy.store.reads.length;
  // The first admission is of the message, the second of the tool's request.
  const admitted = vi.spyOn(ledger, 'admit');
  admitted.mockImplementation(async (...args) => {
    const admission = await admit(...args);
    if (admitted.mock.calls.length === 2) {
      leaving.abort();
      await left;
    }
    return admission;
  });
  const debit = vi.spyOn(ledger, 'debit');
  const response = fetch(url, { method: 'POST', headers, body, signal: leaving.signal });
  await expect(response).rejects.toThrow();
  await expect.poll(() => publicProxy.store.reads.length).toBeGreaterThan(read);
  await expect.poll(() => app.tally.underWay).toBe(0);
  expect(debit).not.toHaveBeenCalled();
  expect(await publicProxy.balance(id)).toBe(100);
  admitted.mockRestore();
});

test('a caller who resets before the response is written pays the minimum, although Node reports it as finished', async () => {
  const { id, key } = await publicProxy.customer({ tokens: 100 });
  const body = JSON.stringify(requestOf('tools/call', SPENDING, '2025-06-18'));
  const { responseWriter } = publicProxy.app.services;
  const socket = connect(Number(new URL(await addressOf(publicProxy)).port), '127.0.0.1');
  socket.on('error', () => {});
  const send = responseWriter.send.bind(responseWriter);
  const sent = vi.spyOn(responseWriter, 'send');
  sent.mockImplementation(async (...args) => {
    expect(await publicProxy.balance(id)).toBe(97);
    // Continues in the poll phase: the kernel detects a reset at once, Node only in the next turn.
    await stat('.');
    socket.resetAndDestroy();
    return send(...args);
  });
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => publicProxy.balance(id)).toBe(99);
  expect(sent).toHaveBeenCalledOnce();
  sent.mockRestore();
});

test('tools over standard input finish the calls under way when it ends', async () => {
  const { key } = await proxy.customer({ tokens: 100 });
  const client = createClient({ baseUrl: await addressOf(proxy), apiKey: key });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new DrainingStdio(input, output);
  serveStdio(() => mcpServer(client, { accountUrl: null, version: '1', keyAdvice: '' }), {
    transport,
  });
  const messages = [1, 2, 3].map((id) => ({
    ...requestOf('tools/call', SPENDING, VERSIONS[1]),
    id,
  }));
  input.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const written: string[] = [];
  output.on('data', (chunk) => written.push(String(chunk)));
  await expect.poll(() => written.join('').trim().split('\n').length).toBe(3);
  const results = written
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  for (const { result } of results) expect(result.structuredContent.tokens).toBe(3);
});

test.each([
  ['http://localhost:6274', 200],
  ['http://127.0.0.1', 200],
  ['http://[::1]:8080', 200],
  ['http://rebound.example.org:8080', 403],
  ['https://127.0.0.1.example.org', 403],
  ['null', 403],
  ['nonsense', 403],
])('on a loopback service, pages of %s get %i, for free tools too', async (origin, status) => {
  const message = requestOf('tools/list', {}, '2025-06-18');
  const options = { version: '2025-06-18', headers: { origin } } as const;
  const response = await sendMessage(proxy, message, options);
  expect(response.status).toBe(status);
  if (status === 403) expect(response.json.type).toContain('origin-not-allowed');
  expect((await sendMessage(publicProxy, message, options)).status).toBe(200);
});

describe('a batch', () => {
  const call = (id: unknown) => ({ ...requestOf('tools/call', SPENDING, '2025-06-18'), id });
  const cancelled = (requestId: unknown) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId },
  });

  test.each([
    [1, 1],
    ['a', 'a'],
  ])('with the ids %j and %j is refused, uncharged', async (...ids) => {
    const debit = vi.spyOn(proxy.ledger, 'debit').mockClear();
    const { status, response } = await posted('application/json', ids.map(call));
    expect(status).toBe(400);
    expect(response.json().errors).toEqual([
      {
        loc: ['body', 1, 'id'],
        msg: `is that of another message of the batch, ${JSON.stringify(ids[1])}`,
        type: 'repeated',
      },
    ]);
    expect(debit).not.toHaveBeenCalled();
    debit.mockRestore();
  });

  test('with the ids 1 and "1" has two responses', async () => {
    const { response } = await posted('application/json', [call(1), call('1')]);
    const ids = response.json().map(({ id }: { id: unknown }) => id);
    expect(ids).toHaveLength(2);
    expect(ids).toEqual(expect.arrayContaining([1, '1']));
  });

  test('answers all calls but those that it cancels itself, which are not begun', async () => {
    const debit = vi.spyOn(proxy.ledger, 'debit').mockClear();
    const accept = 'application/json, text/event-stream';
    const { status, response } = await posted(accept, [call(1), call(2), cancelled(1)]);
    expect(status).toBe(200);
    expect(response.body).toContain('"id":2');
    expect(response.body).not.toContain('"id":1');
    expect(debit).toHaveBeenCalledOnce();
    const nothing = await posted('application/json', [call('x'), cancelled('x')]);
    expect([nothing.status, nothing.response.body]).toEqual([202, '']);
    debit.mockRestore();
  });
});

/** Posts messages with an `Accept`, or none, and further headers. */
async function posted(accept: string | undefined, messages: object, headers: object = {}) {
  const response = await proxy.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      authorization: `Bearer ${proxy.key}`,
      'content-type': 'application/json',
      ...(accept !== undefined && { accept }),
      ...headers,
    },
    payload: JSON.stringify(messages),
  });
  return { status: response.statusCode, type: response.headers['content-type'], response };
}
const JSON_TYPE = expect.stringMatching(/^application\/json/);

describe.each([
  undefined,
  '*/*',
  'application/json',
  'application/*;q=0.8',
  'text/html, */*;q=0.1',
  'application/json, text/plain, */*',
])('with Accept: %s, responses are JSON:', (accept) => {
  test.each(VERSIONS)('of one request of %s', async (version) => {
    const name = 'check_balance';
    const message = requestOf('tools/call', { name, arguments: {} }, version);
    const headers = {
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    };
    const { status, type, response } = await posted(accept, { ...message, id: version }, headers);
    expect([status, type]).toEqual([200, JSON_TYPE]);
    const { id, result } = response.json();
    expect([id, result.isError ?? false]).toEqual([version, false]);
  });

  test('of a batch, whose notifications have none', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const { status, type, response } = await posted(accept, batch);
    expect([status, type]).toEqual([200, JSON_TYPE]);
    const ids = response.json().map(({ id }: { id: number }) => id);
    expect(ids.sort()).toEqual([1, 2]);
  });
});

test('a client that lists both media types gets events, as before', async () => {
  const { status, type } = await posted('application/json, text/event-stream', {
    ...requestOf('ping', {}, '2025-06-18'),
  });
  expect([status, type]).toEqual([200, 'text/event-stream']);
});

test.each(['text/html', 'text/event-stream', 'application/json;q=0, text/event-stream'])(
  'with Accept: %s, the refusal is a problem document like any other',
  async (accept) => {
    const { status, type, response } = await posted(accept, requestOf('ping', {}, '2025-06-18'));
    expect([status, type]).toEqual([406, expect.stringMatching(/^application\/problem\+json/)]);
    expect(response.json()).toMatchObject({
      type: expect.stringContaining('not-acceptable'),
      status: 406,
      formats: ['application/json'],
    });
  },
);
