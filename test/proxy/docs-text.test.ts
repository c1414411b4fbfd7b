import { expect, test } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';

const BASE = 'https://api.example.org/x';
const ACCOUNT = 'https://account.example.org';
const proxy = proxyOfTests({ config: { baseUrl: BASE, accountUrl: ACCOUNT } });

async function text(url: string): Promise<string> {
  const { statusCode, body } = await proxy.get(url);
  expect(statusCode, url).toBe(200);
  return body;
}

interface Schema {
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
  readonly responses: Readonly<Record<string, object>>;
}

function parametersOf({ parameters = [] }: Operation, document: Document): Parameter[] {
  return parameters.map((one) =>
    one.$ref === undefined ? one : document.components.parameters[one.$ref.split('/').at(-1)!],
  );
}

interface Document {
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

async function operations() {
  const document = JSON.parse(await text('/openapi.json'));
  const found: { path: string; method: string; operation: Operation }[] = [];
  for (const [path, item] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (method !== 'head') found.push({ path, method, operation });
    }
  }
  return { document, found };
}

test('the start page as Markdown leads to all others, and the basics have prices and limits', async () => {
  const start = await text('/docs.md');
  for (const { path, method, operation } of (await operations()).found) {
    const link = `[${method.toUpperCase()} ${path}](docs/${operation.operationId}.md)`;
    expect(start).toContain(`${link}: ${operation.summary}`);
  }
  const basics = await text('/docs/basics.md');
  const html = await text('/docs/basics');
  const headings = [...html.matchAll(/<h2 id="[^"]*">([^<]+)<\/h2>/g)].map(([, title]) => title);
  expect(headings).toContain('Prices');
  for (const title of headings) expect(basics).toContain(`\n## ${title}\n`);
  const plans = JSON.parse(await text('/v1/plans'));
  for (const { tokens, price_usd } of plans.token_packs) {
    expect(basics).toContain(`${tokens.toLocaleString('en-US')} tokens for $${price_usd}`);
  }
  expect(basics).toContain('2,000 vertices');
});

test('a description of many sentences is a sentence and a list', async () => {
  const { found } = await operations();
  const long = found.find(({ operation }) => operation.operationId === 'measureSites')!;
  const page = await text('/docs/measureSites.md');
  const [, first, list] = /`POST [^`]+` \(with a key\)\n\n(.+)\n\n((?:- .+\n)+)/.exec(page)!;
  const items = list.trimEnd().replace(/^- /, '').split('\n- ');
  expect(items.length).toBeGreaterThan(5);
  expect([first, ...items].join(' ')).toBe(
    (long.operation as { description?: string }).description,
  );
});

test('every link between pages leads to a page, as HTML and as Markdown', async () => {
  const pages = ['/docs', ...(await slugs()).map((slug) => `/docs/${slug}`)];
  let links = 0;
  for (const page of pages) {
    for (const [suffix, link] of [
      ['', /<a href="([^"#]+)[^"]*"/g],
      ['.md', /\]\(([^)#\s]+)[^)]*\)/g],
    ] as const) {
      const found = [...(await text(page + suffix)).matchAll(link)].map(([, target]) => target);
      for (const target of new Set(found.filter((one) => !/^\w+:/.test(one)))) {
        const { pathname } = new URL(target, `https://x${page}${suffix}`);
        expect((await proxy.get(pathname)).statusCode, `${page}${suffix} → ${target}`).toBe(200);
        links++;
      }
    }
  }
  expect(links).toBeGreaterThan(2_000);
});

async function slugs(): Promise<string[]> {
  return JSON.parse(await text('/docs/search.json')).map(({ slug }: { slug: string }) => slug);
}

test('each operation has a page of Markdown with all parameters that leave a choice', async () => {
  const { document, found } = await operations();
  let hidden = 0;
  for (const { path, method, operation } of found) {
    const response = await proxy.get(`/docs/${operation.operationId}.md`);
    expect(response.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(response.body).toContain(`\`${method.toUpperCase()} ${path}\``);
    const [, listed = ''] = /\n## Parameters\n(.*?)\n## /s.exec(response.body) ?? [];
    for (const { name, in: place, schema } of parametersOf(operation, document)) {
      if (place === 'header') continue;
      const hasChoice = schema.enum?.length !== 1 && schema.const === undefined;
      if (!hasChoice) hidden++;
      expect(listed.includes(`- \`${name}\` (`), name).toBe(hasChoice);
    }
    expect(response.body).not.toMatch(/[(:] ?(undefined|\[object)/);
  }
  expect(hidden).toBeGreaterThan(10);
});

/** The names and defaults of the members of a schema, also of nested ones. */
function defaultsOf({ properties = {}, items }: Schema): [name: string, value: unknown][] {
  const own = Object.entries(properties).flatMap(([name, member]) => [
    ...(member.default === undefined ? [] : [[name, member.default] as [string, unknown]]),
    ...defaultsOf(member),
  ]);
  return items ? [...own, ...defaultsOf(items)] : own;
}

test('the pages of operations state every default of the OpenAPI document that leaves a choice', async () => {
  const { document, found } = await operations();
  let stated = 0;
  for (const { operation } of found) {
    const body = operation.requestBody?.content['application/json'].schema ?? {};
    const properties = parametersOf(operation, document)
      .filter(({ schema }) => schema.enum?.length !== 1)
      .map(({ name, schema }) => [name, schema]);
    const defaults = [
      ...defaultsOf({ properties: Object.fromEntries(properties) }),
      ...defaultsOf(body),
    ];
    const lines = (await text(`/docs/${operation.operationId}.md`)).split('\n');
    for (const [name, value] of defaults) {
      const line = lines.filter((one) => one.trimStart().startsWith(`- \`${name}\` (`)).join('\n');
      expect(line, operation.operationId).toContain(`, default ${JSON.stringify(value)}`);
    }
    stated += defaults.length;
  }
  expect(stated).toBeGreaterThan(50);
});

test('every address of llms.txt can be read', async () => {
  const llms = await text('/llms.txt');
  const links = [...llms.matchAll(/\]\(([^)]+)\)/g)].map(([, url]) => url);
  expect(links.length).toBeGreaterThan(40);
  for (const url of links) {
    if (url.startsWith(BASE)) await text(url.slice(BASE.length));
    else expect(url).toBe(`${ACCOUNT}/llms.txt`);
  }
});

test('the summary of the OpenAPI document has every operation in a third of the document’s size', async () => {
  const whole = await text('/openapi.json');
  const summary = await text('/openapi-summary.json');
  expect(summary.length).toBeLessThan(whole.length / 3);
  expect(summary).not.toMatch(/"(example|examples|headers|head)":/);
  const shortened = JSON.parse(summary);
  const { components, paths } = shortened;
  for (const [, kind, name] of summary.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
    expect(components[kind]).toHaveProperty(name);
  }
  const { document, found } = await operations();
  for (const { path, method, operation } of found) {
    const { operationId, responses } = paths[path][method];
    expect(operationId).toBe(operation.operationId);
    expect(parametersOf(paths[path][method], shortened).map(({ name }) => name)).toEqual(
      parametersOf(operation, document)
        .filter((one) => one.in !== 'header')
        .map(({ name }) => name),
    );
    expect(Object.keys(responses)).toContain(
      Object.keys(operation.responses).find((status) => status.startsWith('2')),
    );
  }
});

test('the example of a trip has a ride among its legs, and the reference explains how to read them', async () => {
  const document = JSON.parse(await text('/openapi.json'));
  const { get } = document.paths['/v1/blocks/{geoid}/explain'];
  const { mode, travel_time, legs } = get.responses[200].content['application/json'].example;
  expect(mode).toBe('transit');
  const minutes = legs.map((leg: { minutes: number }) => leg.minutes);
  const sum = minutes.reduce((all: number, one: number) => all + one, 0);
  expect(sum).toBeCloseTo(travel_time, 5);
  expect(legs).toContainEqual(expect.objectContaining({ kind: 'ride', route: expect.any(String) }));
  const { description } = document.components.schemas.Leg;
  expect(description).toMatch(/`transfer`/);
  expect(await text('/docs/explainTrip.md')).toContain(description);
  expect(await text('/docs/explainTrip')).toContain('A <code>transfer</code> is the way');
});
