import { describe, expect, test } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { emitTypes, type OpenApiDocument } from './emit-types.ts';

const proxy = proxyOfTests();

/** Running with `-u` rewrites the file. */
test("the client's types are those of the served document", async () => {
  const document: OpenApiDocument = (await proxy.get('/openapi.json')).json();
  await expect(emitTypes(document)).toMatchFileSnapshot('../../portal/client/src/api-types.ts');
});

/** Emits the types of a document with one POST whose response has the given schema. */
function emitted(response: object, body: object = {}): string {
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const post = {
    operationId: 'ask',
    summary: 'Asks',
    requestBody: json({ type: 'object', ...body }),
    responses: { 200: json(response) },
  };
  const components = { schemas: {}, parameters: {}, examples: {} };
  return emitTypes({ paths: { '/v1/ask': { post } }, components } as OpenApiDocument);
}

describe('a schema becomes the type', () => {
  test.each<[schema: object, type: string]>([
    [{ type: 'integer', minimum: 0 }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ const: "it's" }, "'it\\'s'"],
    [{ enum: ['a', 1, null] }, "'a' | 1 | null"],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "Array<'a' | 'b'>"],
    [{ anyOf: [{ type: 'boolean' }, { $ref: '#/components/schemas/Mode' }] }, 'boolean | Mode'],
    [{ oneOf: [{ const: 1 }, { type: 'array' }] }, '1 | Array<unknown>'],
    [{}, 'unknown'],
    [{ type: 'object', properties: {} }, 'Record<string, never>'],
    [{ type: 'object', additionalProperties: {} }, '{ [member: string]: unknown; }'],
    [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string', description: 'Ends */ here.' }, 'b-c': {} },
      },
      "{ /** Ends *\\/ here. */ a: string; 'b-c'?: unknown; }",
    ],
  ])('%j', (schema, type) => {
    const text = emitted(schema).replaceAll(/\s+/g, ' ');
    expect(text).toContain(`responses: { 'application/json': ${type}; };`);
  });
});

test('arrays of a request may be read-only, and optional members may be undefined', () => {
  const list = { type: 'array', items: { type: 'string' } };
  const text = emitted({}, { properties: { a: list, b: list }, required: ['a'] });
  expect(text).toContain('a: ReadonlyArray<string>;');
  expect(text).toContain('b?: ReadonlyArray<string> | undefined;');
});

test('a parameter that several operations take alike stands once, and is picked by each', () => {
  const get = (operationId: string, limit: string) => ({
    get: {
      operationId,
      summary: 'Lists',
      parameters: [
        { in: 'query', name: 'mode', schema: { type: 'string', description: 'Travel mode.' } },
        { in: 'query', name: 'limit', schema: { type: 'integer', description: limit } },
      ],
      responses: { 200: {} },
    },
  });
  const paths = { '/v1/a': get('a', 'Rows.'), '/v1/b': get('b', 'Places.') };
  const components = { schemas: {}, parameters: {}, examples: {} };
  const text = emitTypes({ paths, components } as OpenApiDocument).replaceAll(/\s+/g, ' ');
  expect(text).toContain(
    'interface SharedParams { /** Travel mode. */ mode?: string | undefined; }',
  );
  for (const limit of ['Rows.', 'Places.']) {
    expect(text).toContain(
      `params: Pick<SharedParams, 'mode'> & { /** ${limit} */ limit?: number | undefined; };`,
    );
  }
});

test('a batch operation is identified by the truncated origins in its response', () => {
  const body = {
    properties: { mode: { type: 'array' }, ids: { type: 'array', maxItems: 9 } },
    required: ['ids'],
  };
  const batch = { type: 'object', properties: { truncated: { type: 'array' } } };
  expect(emitted(batch, body)).toContain("ask: ['posted','/v1/ask','ids',9],");
  expect(emitted({}, body)).toContain("ask: ['posted','/v1/ask'],");
});

test('a schema type without a counterpart in TypeScript is refused', () => {
  expect(() => emitted({ type: 'file' })).toThrow('A schema has the type file');
});
