import { describe, expect, inject, test } from 'vitest';
import { PLANS } from '../../proxy/plans.ts';
import {
  askForExamples,
  isExemplified,
  type Operation,
  readDocument,
} from '../support/example-requests.ts';
import { openProxy } from '../support/proxy-harness.ts';
import { ofTests, ofThisTest } from '../support/test-resources.ts';

/** Statuses of responses that only one operation has, by its path. */
const ALONE: Readonly<Record<string, readonly string[]>> = {
  '/v1/isochrone': ['404'],
  '/v1/blocks/query': ['400'],
  '/v1/coverage': ['404'],
  '/v1/changes': ['404'],
  '/v1/access': ['400', '404'],
  '/v1/blocks/match': ['400', '404'],
  '/v1/sites/coverage': ['404'],
  '/v1/sites/supply': ['404'],
  '/v1/ready': ['503'],
  '/mcp': ['400'],
};

/** Paths with parameters that no other path has. */
const FOUR_OWN = new Set(['/v1/isochrone', '/exports/{manifestStem}/{file}']);

/** Objects of a document, with their pointers. Examples are left out. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

function* objectsIn(
  node: unknown,
  at = '',
): Generator<[at: string, node: Record<string, unknown>]> {
  if (node === null || typeof node !== 'object') return;
  if (!Array.isArray(node)) yield [at, node as Record<string, unknown>];
  for (const [name, value] of Object.entries(node)) {
    if (!/^examples?$/.test(name)) yield* objectsIn(value, `${at}/${name}`);
  }
}

describe('the OpenAPI document', () => {
  const proxy = ofTests(() => openProxy(inject('demoStore')));

  test('has examples that match the release’s responses to their requests, and cost little', async () => {
    const { without, tokens } = await askForExamples(proxy);
    expect(without).toEqual([]);
    expect(tokens).toBeLessThan(PLANS.free_grant.tokens / 40);
  });

  test('has no two components with one name, for which generators make one type', async () => {
    const { components } = (await proxy.get('/openapi.json')).json();
    const names = Object.values<object>(components).flatMap((kind) => Object.keys(kind));
    expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([]);
  });

  test('has an example in every text format of every operation, and those of batches have rows', async () => {
    const { paths } = await readDocument(proxy);
    const without = Object.entries(paths).flatMap(([path, { get, post }]) =>
      [get, post]
        .filter((operation) => operation && !isExemplified(path, operation))
        .map(() => path),
    );
    expect(without).toEqual([]);
    for (const [path, { post }] of Object.entries(paths)) {
      if (!post?.responses[200] || path === '/mcp') continue;
      const { example } = post.responses[200].content!['application/json'];
      expect([path, (example as { results: object[] }).results.length > 0]).toEqual([path, true]);
    }
  });

  test('defines parameters, headers, responses and examples once, without JavaScript bounds', async () => {
    const { body } = await proxy.get('/openapi.json');
    const { components, paths } = JSON.parse(body);
    expect(body).not.toMatch(/9007199254740991/);
    expect(body).not.toMatch(/"override"/);
    expect(body.length).toBeLessThan(660_000);
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
        expect([method, path, inlined]).toEqual([method, path, alone]);
        const own = (parameters as object[]).filter((one) => !('$ref' in one));
        expect([path, own.length <= (FOUR_OWN.has(path) ? 4 : 1)]).toEqual([path, true]);
      }
    }
  });

  test('states the width of numbers, and of integers that may pass 32 bits', async () => {
    const document = (await proxy.get('/openapi.json')).json();
    let wide = 0;
    for (const [at, { type, format, minimum, maximum }] of objectsIn(document)) {
      const types = [type].flat();
      const isShort = Number(maximum) < 2 ** 31 && Number(minimum) >= -(2 ** 31);
      if (types.includes('number')) expect([at, format]).toEqual([at, 'double']);
      else if (types.includes('integer')) {
        expect([at, format]).toEqual([at, isShort ? undefined : 'int64']);
        if (!isShort) wide++;
      }
    }
    expect(wide).toBeGreaterThan(50);
    for (const name of ['DestId', 'Block']) {
      expect(document.components.parameters[name].schema.items.format).toBe('int64');
    }
    expect(document.components.schemas.PoiTime.properties.dest_id.format).toBe('int64');
  });

  test('says that blocks of a body are text', async () => {
    const { components, paths } = (await proxy.get('/openapi.json')).json();
    const { schema } = paths['/v1/pois/catchment'].post.requestBody.content['application/json'];
    for (const { items } of [schema.properties.block, components.schemas.Area.properties.blocks]) {
      expect(items).toEqual({ type: 'string', pattern: '^\\d{15}$' });
    }
    expect(components.parameters.DestId.schema.items.minimum).toBe(1);
  });

  test('gives no value two types but null, for which clients would round or refuse ids', async () => {
    const document = (await proxy.get('/openapi.json')).json();
    const choices: string[] = [];
    const typesOf = ({ type, anyOf, oneOf }: Schema): unknown[] => [
      ...[type].flat().filter((name) => name && name !== 'null'),
      ...(anyOf ?? oneOf ?? []).flatMap(typesOf),
    ];
    for (const [at, { type, ...choice }] of objectsIn(document) as Iterable<[string, Schema]>) {
      expect([at, typesOf({ type }).length <= 1]).toEqual([at, true]);
      if (new Set(typesOf(choice)).size > 1) choices.push(at);
    }
    const content = '/paths//v1/sites/coverage/post/responses/200/content/application';
    const sites = `${content}/json/schema`;
    expect(choices.sort()).toEqual([
      '/components/schemas/Candidates/else',
      '/components/schemas/Candidates/if/items/anyOf/0/properties/id',
      '/components/schemas/Candidates/if/items/anyOf/1/properties/id',
      '/components/schemas/ExplainedTrip/properties/to',
      '/components/schemas/Problem/properties/errors/items/properties/loc/items',
      '/components/schemas/Sites/else',
      '/components/schemas/Sites/else/anyOf/2/properties/type',
      '/components/schemas/Sites/if/items/anyOf/0/properties/id',
      '/components/schemas/Sites/if/items/anyOf/1/properties/id',
      '/components/schemas/SupplySites/else',
      '/components/schemas/SupplySites/else/anyOf/2/properties/type',
      '/components/schemas/SupplySites/if/items/anyOf/0/properties/id',
      '/components/schemas/SupplySites/if/items/anyOf/1/properties/id',
      '/paths//mcp/post/requestBody/content/application/json/schema/properties/id',
      '/paths//v1/access/post/requestBody/content/application/json/schema/properties/origins/items',
      '/paths//v1/access/post/responses/200/content/application/json/schema/properties/truncated/items',
      '/paths//v1/blocks/{geoid}/explain/get/responses/200/content/application/json/schema/properties/to',
      `${content}/geo+json/schema/properties/features/items/properties/properties/properties/id`,
      ...['chosen', 'errors', 'gains', 'sites'].map(
        (list) => `${sites}/properties/${list}/items/properties/id`,
      ),
      ...['errors', 'sites'].map(
        (list) => `${sites.replace('coverage', 'supply')}/properties/${list}/items/properties/id`,
      ),
    ]);
  });

  test('has nothing that code generators fail for, and no request that would need a key', async () => {
    const document = (await proxy.get('/openapi.json')).json();
    for (const [at, node] of objectsIn(document)) {
      expect([at, 'externalValue' in node]).toEqual([at, false]);
      // Null is one of two types; only a reference cannot have a second one.
      if (node.type === 'null') expect(at).toMatch(/\/anyOf\/1$/);
      const choices = (node.anyOf ?? node.oneOf ?? []) as { type?: string; $ref?: string }[];
      if (choices.some(({ type }) => type === 'null')) {
        expect([at, choices]).toEqual([at, [{ $ref: expect.any(String) }, { type: 'null' }]]);
      }
      // From a choice that includes a list, some make clients that do not compile.
      expect([at, choices.filter(({ type }) => type === 'array')]).toEqual([at, []]);
    }
  });

  test('allows members that are added to responses, and none in requests', async () => {
    const document = await readDocument(proxy);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const { responses, requestBody } of Object.values(methods)) {
        for (const [at, { additionalProperties }] of objectsIn(responses)) {
          expect([path, at, additionalProperties]).not.toEqual([path, at, false]);
        }
        const body = requestBody?.content['application/json'] as { schema?: object } | undefined;
        if (body && path !== '/mcp') {
          expect([path, body.schema]).toEqual([
            path,
            expect.objectContaining({ additionalProperties: false }),
          ]);
        }
      }
    }
  });

  test('describes HEAD once, in words and as a response, not as operations', async () => {
    const { info, paths, components } = (await proxy.get('/openapi.json')).json();
    expect(Object.values<object>(paths).filter((methods) => 'head' in methods)).toEqual([]);
    expect(info.description).toMatch(/GET route also accepts HEAD/);
    expect(Object.keys(components.responses.Head.headers)).toContain('X-Tokens-Cost');
  });

  test('has the paths of files and of assistants, and only paths that the server knows', async () => {
    const { paths } = (await proxy.get('/openapi.json')).json();
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/v1/meta/tiles',
        '/v1/meta/block-bands',
        '/tiles/{archive}',
        '/exports/{manifestStem}/{file}',
        '/mcp',
      ]),
    );
    for (const [path, methods] of Object.entries<object>(paths)) {
      const known = proxy.app.knownPaths.methodsOf(path.replaceAll(/\{\w+\}/g, '1'));
      const described = Object.keys(methods).map((method) => method.toUpperCase());
      expect([path, known]).toEqual([path, expect.arrayContaining(described)]);
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
