import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOSTS, type NginxFront, startNginxFront } from '../support/front.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { ofThisTest } from '../support/test-resources.ts';
import { openWire, type Wire } from '../support/wire.ts';

const proxy = proxyOfTests();
let wire: Wire;
let front: NginxFront;
beforeAll(async () => {
  wire = await openWire(`http://127.0.0.1:${await proxy.listen()}`);
  front = await startNginxFront({ api: [wire.address] });
});
afterAll(async () => {
  await front.stop();
  await wire.close();
});

const HOST = `Host: ${HOSTS.api}\r\n`;
const SMUGGLED = `GET /v1/smuggled HTTP/1.1\r\n${HOST}\r\n`;
/** Builds a POST whose length is given by `headers`, with a request embedded in `rest`. */
const post = (headers: string, rest: string) =>
  `POST /v1/blocks/summary HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n${rest}`;
const CHUNKED_END = '0\r\n\r\n';
const LENGTH_OF_BOTH = `Content-Length: ${CHUNKED_END.length + SMUGGLED.length}\r\n`;

/** Requests whose end two servers may place differently: RFC 9112 section 11.2. */
const SHAPES: Readonly<Record<string, string>> = {
  'a length and chunks': post(
    `${LENGTH_OF_BOTH}Transfer-Encoding: chunked\r\n`,
    CHUNKED_END + SMUGGLED,
  ),
  'chunks and a length': post(
    `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`,
    `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n${CHUNKED_END}`,
  ),
  'two lengths': post(`Content-Length: 0\r\n${LENGTH_OF_BOTH}`, CHUNKED_END + SMUGGLED),
  'two lengths in one': post('Content-Length: 0, 40\r\n', SMUGGLED),
  'a length with a sign': post('Content-Length: +0\r\n', SMUGGLED),
  'a length of another base': post('Content-Length: 0x0\r\n', SMUGGLED),
  'a length after a space': post('Content-Length : 40\r\n', SMUGGLED),
  'a length under a continued line': post('X-Long: a\r\n Content-Length: 40\r\n', SMUGGLED),
  ...Object.fromEntries(
    [
      'xchunked',
      'chunked, identity',
      'identity, chunked',
      'chunked, chunked',
      ' chunked',
      '\tchunked',
      '\x0bchunked',
      '"chunked"',
      'chunked\x00',
      'CHUNKED ',
    ].map((coding) => [
      `a coding of ${JSON.stringify(coding)}`,
      post(`${LENGTH_OF_BOTH}Transfer-Encoding:${coding}\r\n`, CHUNKED_END + SMUGGLED),
    ]),
  ),
  'a coding before a colon’s space': post(
    `${LENGTH_OF_BOTH}Transfer-Encoding : chunked\r\n`,
    CHUNKED_END + SMUGGLED,
  ),
  'a coding of HTTP/1.0': post(
    `${LENGTH_OF_BOTH}Transfer-Encoding: chunked\r\n`,
    CHUNKED_END + SMUGGLED,
  ).replace('HTTP/1.1', 'HTTP/1.0'),
  'a chunk’s size with more behind': post(
    'Transfer-Encoding: chunked\r\n',
    `2;a=\n${SMUGGLED}\r\n{}\r\n${CHUNKED_END}`,
  ),
  'a chunk’s size too large for a number': post(
    'Transfer-Encoding: chunked\r\n',
    `ffffffffffffffff0\r\n{}\r\n${CHUNKED_END}${SMUGGLED}`,
  ),
  'a bare line feed in a chunk’s end': post(
    'Transfer-Encoding: chunked\r\n',
    `2\r\n{}\n0\n\n${SMUGGLED}`,
  ),
  'a body of a GET': `GET /v1/health HTTP/1.1\r\n${HOST}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  'a carriage return in a header': `GET /v1/health HTTP/1.1\r\n${HOST}X-A: a\rGET /v1/smuggled HTTP/1.1\r\n\r\n`,
  'a line feed in a path': `GET /v1/health%0d%0a%0d%0aGET%20/v1/smuggled HTTP/1.1\r\n${HOST}\r\n`,
  'two hosts': `GET /v1/health HTTP/1.1\r\n${HOST}Host: elsewhere.example\r\n\r\n`,
  'an upgrade': `GET /v1/health HTTP/1.1\r\n${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n${SMUGGLED}`,
  'a header that says it is for this hop': `GET /v1/tokens HTTP/1.1\r\n${HOST}Connection: X-Forwarded-For, Authorization\r\n\r\n`,
};

/** When a client leaves a connection that nginx may hold open for bytes that never come. */
const LEAVES_MS = 400;

/** Sends bytes; returns what arrives until nginx closes the connection, or the client leaves it. */
async function sent(bytes: string, leavesMs?: number): Promise<string> {
  const socket = connect({
    port: front.port,
    host: '127.0.0.1',
    servername: HOSTS.api,
    ca: front.ca,
  });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(Buffer.from(bytes, 'latin1'));
  if (leavesMs !== undefined) setTimeout(() => socket.destroy(), leavesMs);
  await once(socket, 'close');
  return received;
}

/**
 * Returns how often nginx reports having forwarded each path (`surely`), and how often the client
 * had left, so that nginx may or may not have forwarded the request (`perhaps`).
 */
async function passedOn(): Promise<{ surely: Map<string, number>; perhaps: Map<string, number> }> {
  const [surely, perhaps] = [new Map<string, number>(), new Map<string, number>()];
  for (const line of await front.log()) {
    if (/" (400|408|414|501) /.test(line)) continue;
    const counts = /" 499 /.test(line) ? perhaps : surely;
    const path = /"\w+ ([^"]*)"/.exec(line)?.[1] ?? line;
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return { surely, perhaps };
}

test('the service sees exactly the requests that nginx sees, in any shape, and responses match their requests', async () => {
  const { key } = await proxy.customer();
  for (const [shape, bytes] of Object.entries(SHAPES)) {
    await sent(bytes, LEAVES_MS);
    const own = await front.ask(`https://${HOSTS.api}/v1/tokens`, {
      authorization: `Bearer ${key}`,
      'x-request-id': 'of-its-own',
    });
    expect([shape, own.status, own.headers['x-request-id'], `${own.body}`]).toEqual([
      shape,
      200,
      'of-its-own',
      '{"tokens_remaining":10000}',
    ]);
  }
  // nginx logs a request only after it has responded.
  const ownLogged = async () =>
    (await front.log()).filter((line) => line.includes('of-its-own')).length;
  await expect.poll(ownLogged).toBe(Object.keys(SHAPES).length);
  // nginx itself asks for the release in force.
  const seen = wire.requests.map(({ path }) => path).filter((path) => path !== '/v1/ready');
  const { surely, perhaps } = await passedOn();
  for (const path of new Set(seen)) {
    const times = seen.filter((other) => other === path).length;
    const least = surely.get(path) ?? 0;
    expect(times, path).toBeGreaterThanOrEqual(least);
    expect(times, path).toBeLessThanOrEqual(least + (perhaps.get(path) ?? 0));
  }
});

test('nginx refuses an HTTP/2 body that does not match its length', async () => {
  const session = connectHttp2(`https://${HOSTS.api}:${front.port}`, {
    ca: front.ca,
    lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const seen = wire.requests.length;
  const stream = session.request({
    ':method': 'POST',
    ':path': '/v1/blocks/summary',
    'content-length': '2',
    'content-type': 'application/json',
  });
  stream.on('error', () => {});
  stream.end(`{}${SMUGGLED}`);
  const [headers] = await Promise.race([once(stream, 'response'), once(stream, 'close')]);
  expect(headers?.[':status'] ?? 400).toBe(400);
  session.destroy();
  // nginx itself may ask meanwhile whether a server is ready.
  const passedOn = wire.requests.slice(seen).filter(({ path }) => path !== '/v1/ready');
  expect(passedOn).toEqual([]);
});

test('nginx’s own refusals are problem documents', async () => {
  const kinds = {
    400: `GET /v1/health HTTP/1.1\r\n${HOST}${HOST}\r\n`,
    413: post(`Content-Length: ${2 ** 21}\r\n`, '{}'),
  };
  for (const [status, bytes] of Object.entries(kinds)) {
    const said = await sent(bytes);
    expect(said).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(said).toMatch(/^content-type: application\/problem\+json/im);
    const body = JSON.parse(said.slice(said.indexOf('\r\n\r\n') + 4).trim());
    expect(body).toMatchObject({
      status: Number(status),
      type: expect.stringContaining('/problems/'),
    });
  }
});

test('the service gets the client address and the host from nginx, not from the client', async () => {
  const said = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'http' };
  const response = await front.ask(`https://${HOSTS.api}/v1/health`, said);
  const { headers } = wire.requests.at(-1)!;
  expect(headers).toMatchObject({
    host: HOSTS.api,
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-request-id': response.headers['x-request-id'],
  });
  // A connection serves more than one request.
  expect(headers.connection).not.toBe('close');
});

test('a key in a URL is refused, and neither keys nor queries, with sign-ins or locations, are logged', async () => {
  const { key } = await proxy.customer();
  const refused = await front.ask(`https://${HOSTS.api}/v1/health?key=${key}`);
  expect([refused.status, `${refused.body}`]).toEqual([400, expect.stringContaining('key-in-url')]);
  // There is no portal, so that nginx's own error log would contain the whole URL.
  const usage = await front.ask(`https://${HOSTS.account}/usage?from=of-a-query`);
  expect(usage.status).toBe(502);
  const link = await front.ask(`https://${HOSTS.account}/auth/verify?token=of-a-link`);
  expect(link.status).toBe(502);
  await front.ask(`https://${HOSTS.api}/v1/point/summary?lat=39.123456&lon=-76.5`);
  const logged = async () => (await front.log()).join('\n');
  // nginx logs a request only after it has responded; this is the last one.
  await expect.poll(logged).toContain('"GET /v1/point/summary" 401');
  const log = await logged();
  expect(log).toContain('"GET (an API key)" 400');
  expect(log).toContain('"GET /auth/verify" 502');
  const unanswered = (await front.unanswered()).join('\n');
  expect(unanswered).toMatch(
    /^unanswered \[.*\] "GET \/usage" 127\.0\.0\.1:9 502 [\d.]+ [0-9a-f]{32}$/m,
  );
  for (const secret of [key, 'of-a-link', 'of-a-query', '39.123456']) {
    expect(`${log}${unanswered}${await front.errors()}`).not.toContain(secret);
  }
});

test('a POST that no server responds to gets a problem, and is logged as a POST', async () => {
  const alone = await ofThisTest(startNginxFront({}));
  const url = `https://${HOSTS.api}/v1/blocks/summary`;
  const { status, headers, body } = await alone.ask(url, {}, 'POST', '{}');
  expect([status, headers['content-type'], headers['retry-after']]).toEqual([
    503,
    'application/problem+json',
    '5',
  ]);
  expect(JSON.parse(`${body}`)).toMatchObject({ status: 503 });
  const unanswered = async () => (await alone.unanswered()).join('\n');
  await expect.poll(unanswered).toContain('"POST /v1/blocks/summary" 127.0.0.1:9 502');
  expect(await unanswered()).not.toContain('GET');
});

test('a server that is stopped costs a GET its time, and a POST a problem', async () => {
  const stopped = createServer(() => {}).listen(0, '127.0.0.1');
  await once(stopped, 'listening');
  const { port } = stopped.address() as AddressInfo;
  const settings = { FRONT_READ_TIMEOUT: '300ms' };
  const api = [`http://127.0.0.1:${port}`, wire.address];
  const both = await ofThisTest(startNginxFront({ api }, { settings }));
  const ask = async (method: 'GET' | 'POST', body?: string) => {
    const url = `https://${HOSTS.api}/v1/${method === 'GET' ? 'health' : 'blocks/summary'}`;
    const answers = Array.from({ length: 6 }, () => both.ask(url, {}, method, body));
    return (await Promise.all(answers)).map(({ status }) => status).sort();
  };
  expect(await ask('GET')).toEqual(Array(6).fill(200));
  const statuses = await ask('POST', '{}');
  // The other server refuses a POST without a key.
  expect(new Set(statuses)).toEqual(new Set([401, 503]));
  stopped.close();
});

test('nothing is served under a foreign host name', async () => {
  const head = ['GET /v1/health HTTP/1.1', 'Host: elsewhere.example', 'Connection: close', '', ''];
  const responses = await sent(head.join('\r\n'));
  expect(responses).toMatch(/^HTTP\/1.1 421 /);
});

test('responses keep browsers on https, and reveal nothing about the software', async () => {
  for (const path of ['/v1/health', '/v1/meta/modes', '/v1/nowhere']) {
    const { headers } = await front.ask(`https://${HOSTS.api}${path}`);
    expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8}/);
    expect(headers.server).toBe('nginx');
    expect(headers).not.toHaveProperty('x-accel-expires');
    expect(headers).not.toHaveProperty('x-powered-by');
  }
});
