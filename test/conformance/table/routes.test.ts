import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, expectOk } from '../api.ts';
import { FREE_ROUTES, METERED_GETS, METERED_POSTS, POI_DETAIL } from '../routes.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

let api: Api;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
beforeAll(async () => {
  api = await Api.open();
  ({ paths } = expectOk(await api.get('/openapi.json')));
});
afterAll(() => api.close());

const METERED = [
  ...[...METERED_GETS, POI_DETAIL].map(({ route }) => ['get', route] as const),
  ...METERED_POSTS.map(({ route }) => ['post', route] as const),
  ['get', '/v1/isochrone'] as const,
];

describe('§4 every route is in the document, with its possible responses', () => {
  test.each(FREE_ROUTES)('get %s needs no key', (route) => {
    expect(paths[route]?.get?.security).toEqual([]);
  });

  test.each(METERED)('%s %s needs a key, and documents its response headers', (method, route) => {
    const operation = paths[route]?.[method];
    expect(operation).toBeDefined();
    expect(operation.security).toHaveLength(1);
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '429', '503']),
    );
    const headers = Object.keys(operation.responses['200'].headers ?? {});
    expect(headers).toEqual(expect.arrayContaining(['X-Tokens-Charged', 'X-Tokens-Remaining']));
    if (method === 'get') expect(headers).toContain('ETag');
  });

  test('get /v1/tokens needs a key', () => {
    expect(paths['/v1/tokens'].get.security).toHaveLength(1);
  });

  test('operation ids are unique', () => {
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path).map((operation) => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
