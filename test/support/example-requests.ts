import { expect } from 'vitest';
import { inPlace } from './openapi.ts';
import type { ProxyHarness } from './proxy-harness.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly example?: unknown;
}
type Contents = Record<string, { readonly example?: unknown }>;
export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Record<string, { readonly content?: Contents }>;
}
export interface ApiDocument {
  readonly paths: Record<string, Record<'get' | 'post', Operation>>;
}

export const readDocument = async (proxy: ProxyHarness): Promise<ApiDocument> =>
  inPlace((await proxy.get('/openapi.json')).json());

/**
 * The request that the API reference generates for an operation, with a value for each parameter
 * that has an example.
 */
export function exampleRequest(path: string, { parameters = [], requestBody }: Operation) {
  const query = new URLSearchParams();
  let url = path;
  for (const { name, in: where, example } of parameters) {
    if (example === undefined) continue;
    if (where === 'path') url = url.replace(`{${name}}`, encodeURIComponent(String(example)));
    if (where === 'query') for (const one of [example].flat()) query.append(name, String(one));
  }
  return {
    url: `${url}?${query}`,
    body: requestBody?.content['application/json'].example as object,
  };
}

/** Binary formats, which have no example, and the first bytes of each. */
export const BINARY: Readonly<Record<string, string>> = {
  'application/vnd.apache.parquet': 'PAR1',
  'application/vnd.mapbox-vector-tile': '',
};
/** Paths of files, whose names no example could state, and streams of events. */
const UNSTATED = /^\/(tiles|exports)\/|^text\/event-stream$/;

/** Whether an operation has an example of each parameter of its path, and of each text format. */
export function isExemplified(path: string, { parameters = [], responses }: Operation): boolean {
  const { content = {} } = responses[200] ?? responses[201];
  return (
    UNSTATED.test(path) ||
    (parameters.every(({ in: where, example }) => where !== 'path' || example !== undefined) &&
      Object.entries(content).every(
        ([type, { example }]) => type in BINARY || UNSTATED.test(type) || example !== undefined,
      ))
  );
}

/**
 * Expects that all contents of an example occur in the response; the example shortens lists and
 * outlines.
 */
function expectShown(example: unknown, response: unknown, at: string): void {
  if (Array.isArray(example)) {
    const isOutline = example.length > 3 && Array.isArray(example[0]);
    const shown = isOutline
      ? (response as unknown[])
      : (response as unknown[]).slice(0, example.length);
    if (isOutline) for (const corner of example) expect(shown).toContainEqual(corner);
    else for (const [i, item] of example.entries()) expectShown(item, shown[i], `${at}[${i}]`);
  } else if (example !== null && typeof example === 'object') {
    for (const [name, member] of Object.entries(example)) {
      // The cursor is made up and leads to no page.
      if (name === 'next_cursor' && member !== null) continue;
      expectShown(member, (response as Record<string, unknown>)[name], `${at}.${name}`);
    }
  } else expect([at, example]).toEqual([at, response]);
}

/**
 * Sends every example of a document, in each of its formats, and compares the shown response with
 * the actual one. Returns the paths without an example, and the cost in tokens of requesting each
 * example once, in its first format.
 */
export async function askForExamples(
  proxy: ProxyHarness,
): Promise<{ readonly without: readonly string[]; readonly tokens: number }> {
  const { paths } = await readDocument(proxy);
  const { key } = await proxy.customer({ tokens: 1e6 });
  const without: string[] = [];
  let tokens = 0;
  for (const [path, { get, post }] of Object.entries(paths)) {
    for (const operation of [get, post]) {
      if (operation === undefined) continue;
      const { url, body } = exampleRequest(path, operation);
      const { content = {} } = operation.responses[200] ?? operation.responses[201];
      if (!isExemplified(path, operation)) without.push(path);
      if (!isExemplified(path, operation) || UNSTATED.test(path)) continue;
      for (const [type, { example }] of Object.entries(content)) {
        if (UNSTATED.test(type)) continue;
        const headers = { accept: type };
        const response = body
          ? await proxy.post(path, key, body, headers)
          : await proxy.get(url, key, headers);
        expect([url, type, [200, 201].includes(response.statusCode)]).toEqual([url, type, true]);
        if (type === Object.keys(content)[0])
          tokens += Number(response.headers['x-tokens-charged'] ?? 0);
        if (type in BINARY)
          expect([url, response.body]).toEqual([url, expect.stringMatching(`^${BINARY[type]}`)]);
        else if (!/[/+]json$/.test(type)) expect([url, example]).toEqual([url, response.body]);
        else if (!OF_THE_MOMENT.test(path)) expectShown(example, response.json(), url);
      }
    }
  }
  return { without, tokens };
}

/** Paths whose responses do not depend on a release alone. */
const OF_THE_MOMENT = /^\/v1\/(health|ready|tokens|exports\/links)$/;
