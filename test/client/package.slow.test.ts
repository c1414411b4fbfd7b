import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { readDocument } from '../support/example-requests.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { clientTests } from './client-harness.ts';

const PACKAGE = path.resolve('portal/client');
const MAX_BYTES = 6_000;
/**
 * Compilers that must accept the types, besides our own, which is the newest: the oldest that is
 * supported, and the last that is written in JavaScript.
 */
const COMPILERS = { oldest: '5.4.2', six: '6.0' };

const tests = clientTests();
const folder = folderOfTests();
const run = promisify(execFile);
const OWN_COMPILER = path.resolve('node_modules/typescript/bin/tsc');
const bin = (name: string) => path.resolve('node_modules/.bin', name);

/** Runs a command in the folder, or fails with its output. */
async function succeed(command: string, args: readonly string[], env = {}): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  const { stdout } = await run(command, args, options).catch((error) => {
    throw new Error(`${command} ${args.join(' ')}:\n${error.stdout}${error.stderr}`);
  });
  return stdout;
}

const npm = (...args: readonly string[]) =>
  succeed('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);

/** Installs the package as npm packs it, and the compilers. */
beforeAll(async () => {
  await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const [{ filename }] = JSON.parse(await npm('pack', PACKAGE, '--json'));
  const compilers = Object.entries(COMPILERS).map(
    ([name, version]) => `${name}@npm:typescript@${version}`,
  );
  await npm('install', `./${filename}`, ...compilers);
  await mkdir(path.join(folder, 'node_modules/@types'), { recursive: true });
  await symlink(
    path.resolve('node_modules/@types/node'),
    path.join(folder, 'node_modules/@types/node'),
  );
  await symlink(
    path.resolve('node_modules/undici-types'),
    path.join(folder, 'node_modules/undici-types'),
  );
});

const installed = path.join(folder, 'node_modules/travel-time-access-client');

test('the package holds its program, types, README and licence, and has no dependencies', async () => {
  const files = await readdir(installed, { recursive: true });
  expect(files.filter((file) => !/^dist(\/[\w-]+\.(js|d\.ts))?$/.test(file)).sort()).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ]);
  const { dependencies, version } = JSON.parse(
    await readFile(path.join(installed, 'package.json'), 'utf8'),
  );
  expect([dependencies, version]).toEqual([undefined, '0.1.0']);
});

test(`the package has at most ${MAX_BYTES} bytes of compressed JavaScript`, async () => {
  const files = (await readdir(path.join(installed, 'dist'))).filter((file) =>
    file.endsWith('.js'),
  );
  const texts = await Promise.all(
    files.map((file) => readFile(path.join(installed, 'dist', file))),
  );
  expect(gzipSync(Buffer.concat(texts)).length).toBeLessThanOrEqual(MAX_BYTES);
});

test('publint and attw find no fault', async () => {
  await succeed(bin('publint'), ['--strict', PACKAGE]);
  await succeed(bin('attw'), ['--pack', PACKAGE, '--profile', 'esm-only']);
});

/**
 * Declares the examples of the served document as constants of their types, so that an excess
 * member is an error as well as a missing one.
 */
async function typedExamples(): Promise<string> {
  const { paths } = await readDocument(tests.proxy);
  const typed = ["import type { Operations } from 'travel-time-access-client';"];
  for (const [route, methods] of Object.entries(paths)) {
    // The client leaves files and assistants to other clients.
    if (!route.startsWith('/v1/')) continue;
    for (const method of ['get', 'post'] as const) {
      const {
        operationId,
        parameters = [],
        requestBody,
        responses,
      } = (methods[method] ?? {}) as {
        operationId?: string;
      } & Partial<(typeof methods)['get']>;
      if (!operationId) continue;
      const sent = parameters.filter(
        ({ in: where, example }) => where !== 'header' && example !== undefined,
      );
      const params =
        requestBody?.content['application/json'].example ??
        Object.fromEntries(sent.map(({ name, example }) => [name, example]));
      const { content = {} } = responses![200] ?? responses![201];
      const contents = Object.entries(content);
      const constants = [
        ['params', params] as const,
        ...contents.map(([type, { example }]) => [`responses']['${type}`, example] as const),
      ];
      for (const [member, value] of constants) {
        if (value === undefined) continue;
        const type = `Operations['${operationId}']['${member}']`;
        typed.push(`export const c${typed.length}: ${type} = ${JSON.stringify(value)};`);
      }
    }
  }
  return typed.join('\n');
}

const CONSUMER = `
import { ApiError, createClient, memoryStore, type ParamsOf, type RowOf } from 'travel-time-access-client';
import { fileStore } from 'travel-time-access-client/file-store';

const client = createClient({ baseUrl: 'http://x', apiKey: 'k', store: memoryStore() });
createClient({ baseUrl: 'http://x', apiKey: undefined, store: fileStore('x') });

export async function narrowed(error: unknown) {
  const { data, tokens } = await client.getBlockSummary({ geoid: '1', mode: ['walk'], type: undefined });
  const minutes: number = data.results[0]!.travel_time + tokens.charged;
  for await (const page of client.listPlaceBlocks({ geoid: '1' })) page.data.results.map(({ geoid }) => geoid);
  for await (const { geoid } of client.getBlockSummaries({ origins: ['1'] as const }).rows()) geoid.at(0);
  const csv: string = (await client.getBlockSummary({ geoid: '1' }, { accept: 'text/csv' })).data;
  const tile: Uint8Array = (await client.getTile({ mode: 'walk', dest_type_id: 1, z: 1, x: 1, y: 1 })).data;
  // @ts-expect-error
  client.getBlockSummary();
  // @ts-expect-error
  client.getBlockSummary({ geoid: '1', modes: [] });
  // @ts-expect-error
  client.getBlockSummary({ geoid: '1' }, { accept: 'application/geo+json' });
  // @ts-expect-error
  client.getHealth().rows();
  const area = { counties: ['99001'] } as const;
  const sites = await client.measureSites({ sites: { type: 'grocery_stores' }, candidates: area, area, mode: 'walk' });
  const [{ within, total }] = sites.data.results as [typeof sites.data.results[number]];
  const ratios: number[] = [within['15']! / total, ...sites.data.gains.map(({ gain }) => gain['15']! / total)];
  const placed = await client.measureSites({ sites: [] as const, area, mode: 'walk' }, { accept: 'application/geo+json' });
  for (const { properties } of placed.data.features) ratios.push((properties.within?.['15'] ?? 0) / 2);
  const reach = await client.getIsochrone({ block: '1', minutes: 10, of: ['people'] });
  if ('features' in reach.data) ratios.push(reach.data.features[0]!.properties.counts!.people! / total);
  const shops = await client.searchPois({}, { accept: 'application/geo+json' });
  const names: string[] = shops.data.features.map(({ properties }) => properties.name);
  const params: ParamsOf<'searchPois'> = {};
  const city = (row: RowOf<'searchPois'>): string | null => row.address.city;
  if (!(error instanceof ApiError)) return [minutes, csv, tile, params, city, ratios, names];
  switch (error.slug) {
    case 'tokens-exhausted': {
      const left: number = error.problem.tokens_remaining;
      return left;
    }
    case 'no-response': {
      const none: null = error.problem;
      return [none, error.cause];
    }
    default: {
      // @ts-expect-error
      const slug: 'tokens-exhausted' = error.slug;
      return [slug, error.requestId];
    }
  }
}
`;

const IN_NODE = { module: 'NodeNext', lib: ['ES2022'], types: ['node'], skipLibCheck: true };
/** Options that check the package's own types too, but not those of the language. */
const IN_BROWSERS = {
  module: 'ESNext',
  moduleResolution: 'Bundler',
  lib: ['ES2022', 'DOM'],
  types: [],
  skipDefaultLibCheck: true,
};

/** Compiles files of the folder strictly. */
async function compile(tsc: string, files: readonly string[], options: object): Promise<void> {
  const strictly = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
  };
  const compilerOptions = { target: 'ES2022', ...strictly, ...options };
  const tsconfig = JSON.stringify({ compilerOptions, files });
  await writeFile(path.join(folder, 'tsconfig.json'), tsconfig);
  await succeed(process.execPath, [tsc, '-p', 'tsconfig.json']);
}

test.each([...Object.keys(COMPILERS), 'our own'])(
  'the types hold for every example with the %s compiler',
  async (compiler) => {
    await writeFile(path.join(folder, 'examples.ts'), await typedExamples());
    await writeFile(path.join(folder, 'consumer.ts'), CONSUMER);
    const isOurs = compiler === 'our own';
    const tsc = isOurs ? OWN_COMPILER : path.join(folder, 'node_modules', compiler, 'bin/tsc');
    for (const options of [IN_NODE, IN_BROWSERS]) {
      await compile(tsc, ['examples.ts', 'consumer.ts'], { ...options, noEmit: true });
    }
  },
);

test('examples of the README compile, run, and print what their comments state', async () => {
  const readme = await readFile(path.join(PACKAGE, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  expect(examples.length).toBeGreaterThan(6);
  const names = examples.map((_, i) => `example-${i}.ts`);
  for (const [i, name] of names.entries()) {
    const code = examples[i].replaceAll('https://api.example.org', tests.baseUrl);
    await writeFile(path.join(folder, name), code);
  }
  await compile(OWN_COMPILER, names, IN_NODE);
  for (const [i, name] of names.entries()) {
    const env = { TTA_KEY: tests.proxy.key, NODE_OPTIONS: '' };
    const printed = await succeed(process.execPath, [name.replace('.ts', '.js')], env);
    const said = [...examples[i].matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => `${line}\n`).join('');
    expect([name, printed]).toEqual([name, said]);
  }
});
