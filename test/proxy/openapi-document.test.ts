import { describe, expect, inject, test } from 'vitest';
import { PLANS } from '../../portal/plans.ts';
import {
  askForExamples,
  type Operation,
  PARQUET,
  readDocument,
} from '../support/example-requests.ts';
import { ofTests, ofThisTest } from '../support/of-tests.ts';
import { openProxy } from '../support/proxy-harness.ts';

/** Statuses of responses that only one operation has, by its path. */
const ALONE: Readonly<Record<string, readonly string[]>> = {
  '/v1/isochrone': ['404'],
  '/v1/blocks/query': ['400'],
  '/v1/blocks/match': ['400', '404'],
  '/v1/sites/coverage': ['404'],
  '/v1/ready': ['503'],
};

describe('the OpenAPI document', () => {
  const proxy = ofTests(() => openProxy(inject('demoStore')));

  test('has examples that match the release’s responses to their requests, and cost little', async () => {
    const { without, tokens } = await askForExamples(proxy);
    expect(without).toEqual([]);
    expect(tokens).toBeLessThan(PLANS.free_grant.tokens / 50);
  });

  test('has an example in every text format of every operation, and those of batches have rows', async () => {
    const { paths } = await readDocument(proxy);
    const without = Object.entries(paths).flatMap(([path, { get, post }]) =>
      [get, post].flatMap((operation) =>
        Object.entries((operation?.responses[200] ?? operation?.responses[201])?.content ?? {})
          .filter(([type, { example, examples }]) => type !== PARQUET && !example && !examples)
          .map(([type]) => `${path} ${type}`),
      ),
    );
    expect(without).toEqual([]);
    for (const [path, { post }] of Object.entries(paths)) {
      if (!post?.responses[200]) continue;
      const { example } = post.responses[200].content!['application/json'];
      expect([path, (example as { results: object[] }).results.length > 0]).toEqual([path, true]);
    }
  });

  test('defines parameters, headers, responses and examples once, without JavaScript bounds', async () => {
    const { body } = await proxy.get('/openapi.json');
    const { components, paths } = JSON.parse(body);
    expect(body).not.toMatch(/9007199254740991/);
    expect(body).not.toMatch(/"override"/);
    expect(body.length).toBeLessThan(620_000);
    expect(Object.keys(components)).toEqual(
      expect.arrayContaining(['schemas', 'headers', 'responses', 'parameters', 'examples']),
    );
    for (const [path, methods] of Object.entries<Record<string, Operation>>(paths)) {
      for (const [method, { parameters = [], responses }] of Object.entries(methods)) {
        const inlined = Object.entries(responses)
          .filter(([status, response]) => /^[45]/.test(status) && !('$ref' in response))
          .map(([status]) => status);
        // Responses of a single operation are inlined: their names would be too long to read.
        const alone = ALONE[path] ?? [];
        expect([method, path, inlined]).toEqual([
          method,
          path,
          method === 'head' && path !== '/v1/ready' ? [] : alone,
        ]);
        const own = (parameters as object[]).filter((one) => !('$ref' in one));
        expect([path, own.length <= (path === '/v1/isochrone' ? 4 : 1)]).toEqual([path, true]);
      }
    }
  });

  test('is served without examples while the store cannot be read, and with them afterwards', async () => {
    const served = await ofThisTest(openProxy(inject('demoStore')));
    const { readRange } = served.store;
    served.store.readRange = () => Promise.reject(new Error('away'));
    const example = async () => {
      const { statusCode, body } = await served.get('/openapi.json');
      return [statusCode, JSON.parse(body).components.parameters.BlockGeoid.example];
    };
    expect(await example()).toEqual([200, undefined]);
    served.store.readRange = readRange.bind(served.store);
    expect(await example()).toEqual([200, expect.stringMatching(/^9900\d{11}$/)]);
  });
});
