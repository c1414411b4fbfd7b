import { beforeAll, describe, expect, test } from 'vitest';
import { standardWorks } from '../support/standard-work.ts';
import { demoOfTests, NO_SUCH_BLOCK } from './demo.ts';
import { problemFaults } from './fuzz/judge.ts';
import type { WireResponse } from './response-reader.ts';
import { onTheWire, parseResponses } from './wire.ts';

const demo = demoOfTests();
let port: number;
let summary: string;
beforeAll(async () => {
  port = await demo.api.proxy.listen();
  summary = `/v1/blocks/${demo.block.geoid}/summary`;
});

/** Placeholder for the customer's key in requests that are written before it exists. */
const KEY = '<key>';
/** More than any of these requests costs. */
const TOKENS = 1e6;

/** A request with a key: `lines` are header lines, each with its line end. */
const request = (first: string, lines = '', body = '') =>
  `${first} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n${lines}\r\n${body}`;

/**
 * Sends bytes and checks every response: a problem document or a success, no server error, no
 * internals; and the balance went down by exactly the amounts the responses state.
 */
async function send(bytes: string, options?: Parameters<typeof onTheWire>[2]) {
  const { api } = demo;
  // A new customer: a refund to an earlier one may still be pending.
  const customer = await api.proxy.customer({ tokens: TOKENS });
  const keyed = bytes.replaceAll(KEY, customer.key);
  const { text, isClosed } = await onTheWire(port, keyed, options);
  const responses = parseResponses(text);
  let said = 0;
  for (const response of responses) {
    said += Number(response.headers['x-tokens-charged'] ?? 0);
    expectContract(response);
  }
  // A debit whose response did not reach its client is undone eventually.
  await expect
    .poll(async () => TOKENS - (await api.balance(customer)), {
      message: 'what the balance went down by',
    })
    .toBe(said);
  const alive = await api.get('/v1/health', {}, { as: null });
  expect(alive.statusCode, 'the service goes on').toBe(200);
  return { responses, isClosed, statuses: responses.map(({ status }) => status), charged: said };
}

function expectContract(response: WireResponse): void {
  const { status, headers, body } = response;
  expect(headers['x-request-id'], `X-Request-Id of a ${status}`).toBeTruthy();
  expect(headers['x-request-id']).toMatch(/^[\x21-\x7e]{1,128}$/);
  if (status < 400) return;
  expect(status, body.toString()).toBeLessThan(500);
  expect(problemFaults(response), body.toString()).toEqual([]);
}

describe('addresses', () => {
  test.each([
    ['an escape that is no hexadecimal', '/v1/blocks/%zz/summary'],
    ['half an escape', '/v1/blocks/%4'],
    ['an escaped byte that is no UTF-8', '/v1/blocks/%ff/summary'],
    ['an overlong UTF-8 escape', '/v1/blocks/%c0%af/summary'],
    ['an escaped surrogate', '/v1/blocks/%ed%a0%80/summary'],
    ['an escaped NUL', '/v1/blocks/%00/summary'],
    ['an escaped line end', '/v1/blocks/%0d%0aX-Injected:%201/summary'],
    ['a segment of ten thousand characters', `/v1/blocks/${'9'.repeat(10_000)}/summary`],
    ['a parameter of ten thousand characters', `/v1/health?q=${'x'.repeat(10_000)}`],
    ['five hundred parameters', `/v1/health?${'a=1&'.repeat(500)}`],
    ['__proto__ as a parameter', '/v1/health?__proto__=1'],
    ['constructor as a parameter', '/v1/health?constructor=1'],
    ['a nested parameter', '/v1/health?a[__proto__][b]=1'],
    ['a parameter without a name', '/v1/health?=1'],
  ])('%s is refused, uncharged', async (_, path) => {
    const { statuses, charged } = await send(request(`GET ${path}`, 'Connection: close\r\n'));
    expect([400, 404]).toContain(statuses[0]);
    expect(statuses).toHaveLength(1);
    expect(charged).toBe(0);
  });
});

describe('unusual but well-formed addresses', () => {
  test.each([
    ['an invalid UTF-8 escape in a value', () => `${summary}?mode=%ff`, 400],
    ['half an escape in a value', () => `${summary}?mode=%4`, 400],
    ['an escaped NUL in a value', () => `${summary}?mode=%00`, 400],
    ['an empty query', () => `${summary}?`, 200],
    ['an escaped letter in the path', () => summary.replace('/blocks/', '/%62locks/'), 200],
    ['an escaped slash in the path', () => summary.replace('/blocks/', '%2fblocks/'), 404],
    ['a doubled slash', () => summary.replace('/blocks/', '//blocks/'), 404],
    ['dot segments', () => `/v1/../v1${summary.slice(3)}`, 404],
    ['another case', () => summary.toUpperCase(), 404],
    ['a semicolon', () => `${summary};mode=walk`, 404],
    ['absolute form', () => `http://elsewhere.example${summary}`, 200],
  ])('a target with %s gets the expected status', async (_, path, status) => {
    const { statuses } = await send(request(`GET ${path()}`, 'Connection: close\r\n'));
    expect(statuses).toEqual([status]);
  });

  test.each(['*', 'elsewhere.example:443', 'ftp://x/v1/health', '//v1/health', 'v1/health'])(
    'the target %j is not a route',
    async (target) => {
      for (const method of ['GET', 'OPTIONS', 'CONNECT']) {
        const { statuses } = await send(request(`${method} ${target}`, 'Connection: close\r\n'));
        for (const status of statuses) {
          // The router treats * as the root, which leads to the documents.
          expect([method === 'OPTIONS' ? 204 : 302, 400, 404, 405]).toContain(status);
        }
      }
    },
  );
});

const posted = (lines: readonly string[], body: string) =>
  request('POST /v1/blocks/summary', lines.map((line) => `${line}\r\n`).join(''), body);
const CHUNKED = 'Transfer-Encoding: chunked';
const JSON_TYPE = 'Content-Type: application/json';

describe('invalid requests', () => {
  test.each([
    ['no request line', 'NONSENSE\r\n\r\n'],
    ['a method that there is not', request('FROB /v1/health')],
    ['a method in small letters', request('get /v1/health')],
    ['a version that there is not', 'GET /v1/health HTTP/3.7\r\nHost: x\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a space in the target', request('GET /v1/he alth')],
    ['a space before a colon', request('GET /v1/health', 'X-A : 1\r\n')],
    ['a header without a colon', request('GET /v1/health', 'nonsense\r\n')],
    ['a NUL in a header', request('GET /v1/health', 'X-A: \0\r\n')],
    ['a header name of other bytes', request('GET /v1/health', 'X-\xe9: 1\r\n')],
    ['a header of 40 kB', request('GET /v1/health', `X-A: ${'x'.repeat(40_000)}\r\n`)],
    ['headers of 40 kB', request('GET /v1/health', 'X-A: 0123456789\r\n'.repeat(2400))],
    ['a target of 40 kB', request(`GET /v1/health?${'x'.repeat(40_000)}`)],
    ['two lengths that differ', posted(['Content-Length: 2', 'Content-Length: 3'], '{}')],
    ['a length below zero', posted(['Content-Length: -1'], '{}')],
    ['a length that is no number', posted(['Content-Length: 2x'], '{}')],
    ['a length and chunks', posted(['Content-Length: 2', CHUNKED], '0\r\n\r\n')],
    ['a chunk size that is no number', posted([JSON_TYPE, CHUNKED], 'zz\r\n{}\r\n')],
  ])('%s gets one problem document, and the connection closes', async (_, bytes) => {
    const { statuses, isClosed } = await send(bytes);
    expect(statuses).toHaveLength(1);
    expect(statuses[0]).toBeGreaterThanOrEqual(400);
    expect(isClosed).toBe(true);
  });

  test.each([
    ['missing', 'GET / HTTP/1.1\r\n'],
    ['missing', 'GET /v1/health HTTP/1.1\r\n'],
    ['missing', `GET /v1/blocks/${NO_SUCH_BLOCK}/summary HTTP/1.1\r\n`],
    ['repeated', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nhOST: x\r\n'],
    ['repeated', 'GET /v1/health HTTP/1.0\r\nHost: x\r\nHost: y\r\n'],
  ])('reports a Host that is %s, and closes the connection: %j', async (type, head) => {
    const { responses, isClosed } = await send(`${head}\r\n`);
    expect(responses.map(({ status }) => status)).toEqual([400]);
    expect(JSON.parse(responses[0].body.toString())).toMatchObject({
      type: expect.stringMatching(/\/invalid-parameters$/),
      errors: [{ loc: ['header', 'host'], type }],
    });
    expect(isClosed).toBe(true);
  });

  test.each([
    ['raw UTF-8 in the query', '/v1/places?q=Ca\xc3\xb1on', '%C3%B1 for ñ'],
    ['raw UTF-8 in the path', '/v1/places/Ca\xc3\xb1on', '%C3%B1 for ñ'],
    ['a space in the path', '/v1/places/a b', '%20 for a space'],
    ['a space in the query', '/v1/places?q=San Jose', '%20 for a space'],
  ])('the problem of %s says how to encode it', async (_, target, advice) => {
    const { responses } = await send(request(`GET ${target}`));
    expect(responses.map(({ status }) => status)).toEqual([400]);
    const { errors } = JSON.parse(responses[0].body.toString());
    expect(errors).toMatchObject([{ loc: ['request'], type: 'malformed' }]);
    expect(errors[0].msg).toContain(advice);
  });

  test('CONNECT gets a problem with the methods there are, and the connection closes', async () => {
    for (const target of ['elsewhere.example:443', '/v1/health', 'x']) {
      const { responses, isClosed } = await send(request(`CONNECT ${target}`));
      expect([responses.map(({ status }) => status), isClosed]).toEqual([[405], true]);
      expect(responses[0].headers.allow).toBe('GET, HEAD, POST');
      expect(JSON.parse(responses[0].body.toString()).detail).toContain('no proxy');
    }
  });

  test('a plus sign before a number of a query, which means a space, gets advice', async () => {
    for (const sign of ['+', '%20']) {
      const target = `/v1/point/summary?lat=${sign}39.29&lon=-76.61`;
      const { responses } = await send(request(`GET ${target}`, 'Connection: close\r\n'));
      expect(JSON.parse(responses[0].body.toString())).toMatchObject({
        status: 400,
        errors: [{ loc: ['query', 'lat'], msg: expect.stringContaining('send %2B') }],
      });
    }
    const encoded = '/v1/point/summary?lat=%2B36&lon=-5e%2b1';
    const { statuses } = await send(request(`GET ${encoded}`, 'Connection: close\r\n'));
    expect(statuses).toEqual([404]);
  });

  test('token headers are absent where no key was checked', async () => {
    const { responses } = await send(
      request('GET /v1/blocks/%zz/summary', 'Connection: close\r\n'),
    );
    expect(JSON.parse(responses[0].body.toString()).errors).toMatchObject([{ type: 'malformed' }]);
    expect(Object.keys(responses[0].headers).filter((name) => /^x-tokens/.test(name))).toEqual([]);
  });

  test('an empty connection and half a request get no response and cost nothing', async () => {
    for (const bytes of ['', 'GET', request(`GET ${summary}`).slice(0, -2)]) {
      expect((await send(bytes, { silenceMs: 400 })).statuses).toEqual([]);
    }
  });
});

describe('headers', () => {
  const close = 'Connection: close\r\n';

  test('two Authorization headers are refused, whatever keys they hold, and neither is charged', async () => {
    const other = await demo.api.newCustomer({ tokens: 5000 });
    for (const key of [other.key, KEY]) {
      const { responses } = await send(
        request(`GET ${summary}`, `authorization: Bearer ${key}\r\n${close}`),
      );
      expect(JSON.parse(responses[0].body.toString())).toMatchObject({
        status: 400,
        type: expect.stringMatching(/\/invalid-parameters$/),
        errors: [{ loc: ['header', 'authorization'], type: 'repeated' }],
      });
    }
    expect(await demo.api.balance(other)).toBe(5000);
  });

  test.each([
    ['a folded header', 'X-A: 1\r\n 2\r\n', 400],
    ['an If-None-Match of many tags', `If-None-Match: ${'"a", '.repeat(2500)}"b"\r\n`, 200],
    ['an If-None-Match that is hard to match', `If-None-Match: ${'W/"'.repeat(4000)}\r\n`, 200],
    ['an If-None-Match of blanks', `If-None-Match: "a${' ,'.repeat(5000)}\r\n`, 200],
    ['an Accept that means nothing', 'Accept: ;;;q=NaN,,*\r\n', 200],
    ['an Accept-Encoding that means nothing', 'Accept-Encoding: ;q=1e999,\x7f\r\n', 400],
    ['a Range', 'Range: bytes=0-5\r\n', 200],
    ['a Range of nonsense', 'Range: bytes=5-0,-,x\r\n', 200],
    ['an upgrade', 'Upgrade: websocket\r\n', 200],
    ['two request ids', 'X-Request-Id: a\r\nX-Request-Id: b\r\n', 200],
    ['a request id of other bytes', 'X-Request-Id: \xe9\xff\r\n', 200],
    ['a forwarded address of nonsense', 'X-Forwarded-For: <script>, ::::\r\n', 200],
    ['a thousand headers', 'X-A: 1\r\n'.repeat(1000), 200],
    ['an expectation that nobody meets', 'Expect: miracles\r\n', 200],
    ['an expectation to go on', 'Expect: 100-continue\r\n', 200],
    ['a method override', 'X-HTTP-Method-Override: DELETE\r\n', 200],
  ])('a request with %s gets the expected status after little work', async (_, lines, status) => {
    const works = await standardWorks(async () => {
      const { statuses } = await send(request(`GET ${summary}`, `${lines}${close}`));
      expect(statuses).toEqual([status]);
    });
    expect(works).toBeLessThan(100);
  });

  test('a request of HTTP/1.0 needs no Host, is served, and its connection closes', async () => {
    for (const [target, status] of [
      [summary, 200],
      ['/v1/health', 200],
      ['/docs', 200],
      ['/', 302],
    ]) {
      const bytes = `GET ${target} HTTP/1.0\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
      const { statuses, isClosed } = await send(bytes);
      expect([target, statuses, isClosed]).toEqual([target, [status], true]);
    }
  });

  test('line ends without a carriage return are refused or read, not misread', async () => {
    const bytes = request(`GET ${summary}`, close).replaceAll('\r\n', '\n');
    const { statuses } = await send(bytes);
    expect([[200], [400]]).toContainEqual(statuses);
  });

  test('a body on GET changes nothing', async () => {
    const lines = `Content-Type: application/json\r\nContent-Length: 14\r\n${close}`;
    const { statuses } = await send(request(`GET ${summary}`, lines, '{"mode":"bike"'));
    expect([[200], [400]]).toContainEqual(statuses);
  });
});

describe('pipelining', () => {
  test('fifty requests on one connection get their own responses, in order, each charged once', async () => {
    const paths = [
      summary,
      '/v1/health',
      '/nothing',
      `${summary}?x=1`,
      summary.replace('99', '01'),
    ];
    const wanted = [200, 200, 404, 400, 404];
    const all = Array.from({ length: 50 }, (_, i) => i);
    const bytes = all
      .map((i) => {
        const close = i === 49 ? 'Connection: close\r\n' : '';
        return request(`GET ${paths[i % 5]}`, `X-Request-Id: n${i}\r\n${close}`);
      })
      .join('');
    const { responses } = await send(bytes);
    expect(responses.map(({ headers }) => headers['x-request-id'])).toEqual(
      all.map((i) => `n${i}`),
    );
    expect(responses.map(({ status }) => status)).toEqual(all.map((i) => wanted[i % 5]));
  });

  test('a malformed request ends the connection; earlier requests are charged only if their responses arrive', async () => {
    for (const path of ['/v1/health', summary, summary.replace('summary', 'pois')]) {
      const after = request(`GET ${summary}`);
      const bytes = `${request(`GET ${path}`)}\0\0\0\r\n\r\n${after}`;
      const { statuses, isClosed } = await send(bytes);
      expect([[200, 400], [400]]).toContainEqual(statuses);
      expect(isClosed).toBe(true);
    }
  });

  test('HEAD has no body that could be mistaken for the next response', async () => {
    const bytes = request('HEAD /nothing') + request('GET /v1/health', 'Connection: close\r\n');
    const { api } = demo;
    const { text } = await onTheWire(port, bytes.replaceAll(KEY, api.customer.key));
    const heads = text.split(/(?=HTTP\/1\.1 \d{3})/);
    expect(heads).toHaveLength(2);
    expect(heads[0]).toMatch(/\r\n\r\n$/);
  });
});
