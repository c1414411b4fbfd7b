import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { matchesEtag } from '../../proxy/http/conditional.ts';
import { PROBLEMS } from '../../proxy/http/problem.ts';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';

let proxy: ProxyHarness;
let key: string;
let port: number;
const BLOCK = '/v1/blocks/990010001001000/summary';

beforeAll(async () => {
  proxy = await openProxy(inject('demoStore'));
  ({ key } = await proxy.customer({ tokens: 1e9 }));
  await proxy.app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = proxy.app.server.address() as { port: number });
});
afterAll(() => proxy.close());

/** A request over a socket, sent as it is. */
function raw(method: string, target: string, headers: Record<string, string> = {}, body = '') {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const sent = request({ port, method, path: target, headers }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () =>
          resolve({ status: answer.statusCode!, headers: answer.headers, body: text }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    },
  );
}

test('every error of every kind is a problem document with a request id and nothing internal', async () => {
  const errors: [number, string, Awaited<ReturnType<typeof raw>>][] = [
    [404, 'not-found', await raw('GET', '/v1/nothing')],
    [404, 'not-found', await raw('GET', '/problems/no-such-problem')],
    [405, 'method-not-allowed', await raw('POST', '/v1/plans')],
    [405, 'method-not-allowed', await raw('DELETE', BLOCK)],
    [400, 'invalid-parameters', await raw('GET', '/v1/blocks/%zz/summary')],
    [400, 'invalid-parameters', await raw('GET', '/v1/plans?x=1')],
    [401, 'missing-key', await raw('GET', BLOCK)],
    [401, 'invalid-key', await raw('GET', BLOCK, { authorization: 'Basic abc' })],
    [401, 'invalid-key', await raw('GET', BLOCK, { authorization: `Bearer ${key}x` })],
  ];
  for (const [status, slug, { status: said, headers, body }] of errors) {
    const problem = JSON.parse(body);
    expect([said, problem.status, problem.type.split('/').at(-1)]).toEqual([status, status, slug]);
    expect(problem.title).toBe(PROBLEMS[slug as keyof typeof PROBLEMS].title);
    expect(headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(headers['x-request-id']).toBeTruthy();
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(body).not.toMatch(/node_modules|\.ts|\.js|Error:/);
  }
  expect(errors[2][2].headers.allow).toBe('GET, HEAD');
});

test('bytes that are no HTTP get a problem and a closed connection, and the service goes on', async () => {
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json.*X-Request-Id: /s);
  expect(JSON.parse(answer.split('\r\n\r\n')[1]).status).toBe(400);
  expect((await raw('GET', '/v1/health')).status).toBe(200);
});

test('a safe request id is kept, another is replaced', async () => {
  const id = async (given: string) =>
    (await raw('GET', '/v1/health', { 'x-request-id': given })).headers['x-request-id'];
  expect(await id('trace-42:a/b')).toBe('trace-42:a/b');
  expect(await id('x'.repeat(128))).toBe('x'.repeat(128));
  expect(await id('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
  expect(await id('a b')).toMatch(/^[0-9a-f-]{36}$/);
});

test('answers over a socket carry what they must', async () => {
  const answer = await raw('GET', BLOCK, { authorization: `Bearer ${key}` });
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    'cache-control': 'public, no-cache',
    vary: 'Authorization, Accept-Encoding, Accept',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(answer.body)),
    'access-control-allow-origin': '*',
    'ratelimit-policy': '"default";q=1000000;w=60',
  });
  for (const name of [
    'etag',
    'x-request-id',
    'x-tokens-charged',
    'x-tokens-remaining',
    'ratelimit',
  ]) {
    expect(answer.headers[name]).toBeTruthy();
  }
});

test('a preflight allows what clients need', async () => {
  const { status, headers } = await raw('OPTIONS', BLOCK, {
    origin: 'https://example.org',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  });
  expect(status).toBe(204);
  expect(headers['access-control-allow-headers']).toContain('If-None-Match');
});

test('If-None-Match is compared weakly, in lists', () => {
  const opaque = fc
    .string({ unit: fc.constantFrom(...'abcXYZ09-_,/W ') })
    .map((text) => `"${text}"`);
  const entity = fc.tuple(opaque, fc.boolean()).map(([tag, weak]) => (weak ? `W/${tag}` : tag));
  fc.assert(
    fc.property(fc.array(entity, { minLength: 1 }), opaque, (list, etag) => {
      const named = list.some((tag) => tag.replace(/^W\//, '') === etag);
      expect(matchesEtag(list.join(', '), etag)).toBe(named);
    }),
  );
});

test('each problem type leads to a readable page', async () => {
  for (const slug of Object.keys(PROBLEMS)) {
    const page = await raw('GET', `/problems/${slug}`);
    expect([slug, page.status]).toEqual([slug, 200]);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.body).toContain(slug);
    const [, style] = /<style>(.*)<\/style>/s.exec(page.body)!;
    const digest = createHash('sha256').update(style).digest('base64');
    expect(page.headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page.headers['x-content-type-options']).toBe('nosniff');
  }
});

test('the OpenAPI document passes the linter', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-openapi-'));
  try {
    const file = path.join(folder, 'openapi.json');
    await writeFile(file, (await raw('GET', '/openapi.json')).body);
    const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
    const { stderr, stdout } = await promisify(execFile)(
      process.execPath,
      [cli, 'lint', '--extends=recommended', '--skip-rule=no-server-example.com', file],
      { cwd: folder, env: { ...process.env, REDOCLY_TELEMETRY: 'off', CI: 'true' } },
    );
    expect(`${stdout}${stderr}`).toMatch(/valid/i);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the examples are what the OpenAPI document says', async () => {
  const document = JSON.parse((await raw('GET', '/openapi.json')).body);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  type Content = Record<string, { example?: unknown }>;
  type Operation = {
    requestBody?: { content: Content };
    responses: Record<string, { content: Content }>;
  };
  const examples: [pointer: string, content: Content][] = [];
  for (const [route, methods] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      if (method === 'head') continue;
      const at = `openapi#/paths/${route.replaceAll('/', '~1')}/${method}`;
      examples.push([`${at}/responses/200/content`, responses[200].content]);
      if (requestBody) examples.push([`${at}/requestBody/content`, requestBody.content]);
    }
  }
  expect(examples.length).toBeGreaterThan(30);
  for (const [at, content] of examples) {
    for (const [type, { example }] of Object.entries(content)) {
      if (example === undefined) continue;
      const pointer = `${at}/${type.replaceAll('/', '~1')}/schema`;
      const validate = ajv.getSchema(encodeURI(pointer))!;
      expect([pointer, validate(example), validate.errors]).toEqual([pointer, true, null]);
    }
  }
});
