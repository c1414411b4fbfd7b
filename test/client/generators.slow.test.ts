import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { ensureDebianPackage } from '../support/debian.ts';
import { pythonTools } from '../support/python-tool.ts';
import { linkedBlocks, runService } from '../support/running-service.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { ofTests } from '../support/test-resources.ts';

/** The version of openapi-generator, from Maven Central. */
const GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0';
const PROGRAMS = path.resolve('test/client/generated');

/**
 * Makes and runs the client of a generator: a program that calls the operations and prints a line
 * for each, its id and its response as JSON, written from the values of the client's own types.
 */
type Generator = (folder: string) => Promise<string>;

const run = promisify(execFile);
const folder = folderOfTests();
const service = ofTests(() => runService(inject('demoStore'), folder));
const document = path.join(folder, 'openapi.json');
/** A block, and a POI that is reached from it. */
let geoid: string;
let poi: { readonly dest_id: number; readonly lat: number; readonly lon: number };

beforeAll(async () => {
  [geoid] = await linkedBlocks(service, 1);
  const found = await service.ask(`/v1/blocks/${geoid}/pois?limit=1`);
  [poi] = ((await found.json()) as { results: (typeof poi)[] }).results;
  await writeFile(document, await (await service.ask('/openapi.json')).text());
});

/** The requests, by operation, as they are sent without a generated client. */
function requests(): Record<string, { readonly url: string; readonly body?: object }> {
  const { dest_id, lat, lon } = poi;
  const center = { lat, lon };
  return {
    getLastUpdated: { url: '/v1/last-updated' },
    getModes: { url: '/v1/meta/modes' },
    getDestinationTypes: { url: '/v1/meta/destination-types' },
    getWeights: { url: '/v1/meta/weights' },
    getVintage: { url: '/v1/meta/vintage' },
    getPlans: { url: '/v1/plans' },
    findPlaces: { url: '/v1/places?q=port' },
    getIsochroneMeta: { url: '/v1/isochrone/meta' },
    getTileArchives: { url: '/v1/meta/tiles' },
    getBlockBands: { url: '/v1/meta/block-bands' },
    getExports: { url: '/v1/exports' },
    getBlockSummary: { url: `/v1/blocks/${geoid}/summary?mode=walk&names=true` },
    listBlockPois: { url: `/v1/blocks/${geoid}/pois?limit=5` },
    getPointSummary: { url: `/v1/point/summary?lat=${lat}&lon=${lon}` },
    searchPois: { url: `/v1/pois?lat=${lat}&lon=${lon}&radius_m=2000&limit=5` },
    getPoi: { url: `/v1/pois/${dest_id}` },
    listPoiCatchment: { url: `/v1/pois/${dest_id}/catchment?limit=5` },
    getBlockSummaries: { url: '/v1/blocks/summary', body: { origins: [geoid], mode: ['walk'] } },
    queryBlocks: {
      url: '/v1/blocks/query',
      body: { center, radius_m: 800, mode: ['walk'], limit: 5 },
    },
    measureCoverage: {
      url: '/v1/coverage',
      body: {
        area: { center, radius_m: 800 },
        mode: ['walk'],
        all_of: [{ type: 101, mode: 'walk', max_minutes: 12.5 }],
      },
    },
    // The second is no POI, of an id that 32 bits or a float of 32 bits would change.
    listPoisCatchments: {
      url: '/v1/pois/catchment',
      body: { dest_ids: [dest_id, 999_999_999_999_999], block: [geoid] },
    },
    measureSites: {
      url: '/v1/sites/coverage',
      body: { sites: [{ id: 'a', lat, lon }], mode: 'walk', minutes: [10, 20] },
    },
  };
}

/** Each Java program runs once, so optimizing it or collecting garbage by threads costs more. */
const JAVA_TOOL_OPTIONS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

/** Runs a command in a folder, or fails with its output. */
async function succeed(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  const { dest_id, lat, lon } = poi;
  const bodies = Object.entries(requests()).map(([name, { body }]) => [
    `BODY_${name}`,
    JSON.stringify(body ?? {}),
  ]);
  const env = {
    ...process.env,
    ...Object.fromEntries(bodies),
    JAVA_TOOL_OPTIONS,
    BASE_URL: service.address,
    API_KEY: service.key,
    GEOID: geoid,
    LAT: `${lat}`,
    LON: `${lon}`,
    DEST_ID: `${dest_id}`,
  };
  const { stdout } = await run(command, args, { cwd, env, maxBuffer: 1 << 26 }).catch((error) => {
    const output = `${error.stdout}${error.stderr}`.slice(-8_000);
    throw new Error(`${command} ${args.join(' ')}:\n${output}`);
  });
  return stdout;
}

/** Copies one of our programs. */
const put = (program: string, to: string) => cp(path.join(PROGRAMS, program), to);

const maven = (cwd: string, ...args: readonly string[]) =>
  succeed(cwd, 'mvn', '--quiet', '--batch-mode', ...args);

let jar: Promise<string> | undefined;

/** The file of openapi-generator. */
function generatorJar(): Promise<string> {
  jar ??= (async () => {
    await ensureDebianPackage('default-jdk-headless', 'javac');
    await ensureDebianPackage('maven', 'mvn');
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
    await maven(folder, copy, `-Dartifact=${GENERATOR}`, `-DoutputDirectory=${folder}`);
    const [, name, version] = GENERATOR.split(':');
    return path.join(folder, `${name}-${version}.jar`);
  })();
  return jar;
}

const JAVA_PACKAGES = 'apiPackage=made.api,modelPackage=made.model,invokerPackage=made';
/** Otherwise, requests state optional lists as empty, which the API rejects. */
const JAVA_OPTIONS = `${JAVA_PACKAGES},containerDefaultToNull=true`;
const NO_TESTS = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';

async function generate(generator: string, out: string, ...options: readonly string[]) {
  const sent = ['-i', document, '-g', generator, '-o', out, ...options];
  const jar = await generatorJar();
  await succeed(folder, 'java', '-jar', jar, 'generate', ...sent, '--global-property', NO_TESTS);
}

async function java(out: string, library: 'native' | 'okhttp'): Promise<string> {
  const chosen = library === 'native' ? ['--library', 'native'] : [];
  await generate('java', out, ...chosen, '--additional-properties', JAVA_OPTIONS);
  const sources = path.join(out, 'src/main/java');
  await put('Calls.java', path.join(sources, 'Calls.java'));
  await put(`${library}/Json.java`, path.join(sources, 'Json.java'));
  await maven(out, '-Dmdep.outputFile=classpath', 'compile', 'dependency:build-classpath');
  const classes = `target/classes:${await succeed(out, 'cat', 'classpath')}`;
  return succeed(out, 'java', '-cp', classes, 'Calls');
}

/** Generators other than openapi-generator. */
const OTHERS: Readonly<Record<string, Generator>> = {
  async 'openapi-typescript'(out) {
    await put('calls.ts.txt', path.join(out, 'calls.ts'));
    await writeFile(path.join(out, 'package.json'), '{ "private": true, "type": "module" }');
    const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9'];
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await succeed(out, 'npm', 'install', ...quiet, ...packages, '@types/node@20');
    const bin = path.join(out, 'node_modules/.bin');
    await succeed(out, `${bin}/openapi-typescript`, document, '-o', 'api.d.ts');
    const target = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
    const tsc = path.resolve('node_modules/.bin/tsc');
    await succeed(out, tsc, '--strict', '--types', 'node', ...target, 'calls.ts');
    return succeed(out, process.execPath, 'calls.js');
  },
  async 'openapi-python-client'(out) {
    const bin = await pythonTools('openapi-python-client==0.29.1');
    const asked = ['generate', '--path', document, '--meta', 'none'];
    const made = path.join(out, 'travel_time_access_service_client');
    await succeed(out, `${bin}/openapi-python-client`, ...asked, '--output-path', made);
    await put('calls_attrs.py', path.join(out, 'calls.py'));
    return succeed(out, `${bin}/python`, 'calls.py');
  },
};

/** Languages of openapi-generator whose clients are compiled and called. */
const COMPILED: Readonly<Record<string, Generator>> = {
  async python(out) {
    await generate('python', out);
    const needs = ['urllib3==2.5.0', 'python-dateutil==2.9.0', 'pydantic==2.12.3'];
    const bin = await pythonTools(...needs, 'typing-extensions==4.15.0');
    await put('calls.py', path.join(out, 'calls.py'));
    return succeed(out, `${bin}/python`, 'calls.py');
  },
  'java-native': (out) => java(out, 'native'),
  java: (out) => java(out, 'okhttp'),
  async go(out) {
    await ensureDebianPackage('golang-go', 'go');
    const named = ['--git-host', 'example.org', '--git-user-id', 'GIT', '--git-repo-id', 'made'];
    await generate('go', out, ...named, '--additional-properties', 'packageName=made');
    await succeed(out, 'sed', '-i', 's|^module .*|module example.org/made|', 'go.mod');
    await succeed(out, 'go', 'mod', 'tidy');
    await mkdir(path.join(out, 'calls'));
    await put('calls.go', path.join(out, 'calls/main.go'));
    return succeed(out, 'go', 'run', './calls');
  },
};

/** Languages of openapi-generator whose clients are only generated. */
const GENERATED = ['rust', 'kotlin', 'csharp'];

const INSTANT = /^\d{4}-\d{2}-\d{2}T/;

/** A response as its client sees it: absent members may be null, and instants written otherwise. */
const valuesIn = (text: string) =>
  JSON.parse(text, (_, value) => {
    if (typeof value === 'string' && INSTANT.test(value)) return new Date(value).toISOString();
    return value ?? undefined;
  });

/** Names of `COMPILED` of which the suite draws one. */
const DRAWN = ['python', 'java-native', 'go'];
/**
 * Names of the generators that run: those in `GENERATORS`, which may be `all`. By default one
 * language of openapi-generator is drawn, since each takes longer than all others together.
 */
const { GENERATORS: named = [...Object.keys(OTHERS), DRAWN[randomInt(DRAWN.length)]].join() } =
  process.env;
const isChosen = (name: string) => named === 'all' || named.split(',').includes(name);

test.for(GENERATED.filter(isChosen))(
  'openapi-generator writes a client for %s, which is not compiled here',
  (name) => generate(name, path.join(folder, name)),
);

test.for(Object.entries({ ...OTHERS, ...COMPILED }).filter(([name]) => isChosen(name)))(
  'the client that %s generates reads twenty-one operations without a loss',
  async ([name, call]) => {
    const out = path.join(folder, name);
    await mkdir(out);
    const printed = new Map(
      (await call(out))
        .trim()
        .split('\n')
        .map((line) => line.split('\t') as [string, string]),
    );
    for (const [operation, { url, body }] of Object.entries(requests())) {
      const response = await service.ask(url, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json' },
      });
      expect([operation, response.status]).toEqual([operation, 200]);
      const read = printed.get(operation);
      expect([operation, valuesIn(read ?? '"nothing"')]).toEqual([
        operation,
        valuesIn(await response.text()),
      ]);
    }
  },
);
