import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The modules each folder may import. A longer path is a part of a folder. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  shards: ['shards'],
  builder: ['builder', 'shards', 'portal/map-classes.ts'],
  proxy: ['proxy', 'shards', 'portal/client/src'],
  portal: ['portal', 'shards', 'proxy/http', 'proxy/ledger', 'proxy/plans.ts'],
  'portal/client': ['portal/client'],
  'portal/pages': [
    'portal/client/src',
    'portal/pages',
    'shards/arrays/bits.ts',
    'shards/access/access-class-layout.ts',
    'shards/access/access-columns.ts',
    'shards/bands/block-band-layout.ts',
    'shards/bands/column-layout.ts',
    'shards/bands/time-bands.ts',
    'shards/csv/csv-line.ts',
    'shards/concurrency/on-demand.ts',
    'shards/geometry',
    'shards/modes.ts',
    'shards/services.ts',
    'portal/page-paths.ts',
    'proxy/http/request-limits.ts',
    'proxy/docs/code-samples.ts',
    'proxy/formats/columns.ts',
    'proxy/queries/sites/site-table.ts',
    'proxy/fields/parse-sites-csv.ts',
    'portal/map-classes.ts',
    'proxy/plans.ts',
    'portal/responses.ts',
    'portal/sign-in/code-digits.ts',
  ],
  infra: ['infra', 'builder', 'proxy', 'portal', 'shards'],
};

/**
 * The parts of each folder, from the ground up: a file imports from its own part and from earlier
 * ones, never from a later one. A file directly in the folder is a part by itself.
 */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  shards: [
    'units',
    'errors',
    'error-facts',
    'modes',
    'services',
    'states',
    'folded-text',
    'shown-text',
    'number-words',
    'lru-map',
    'arrays',
    'codec',
    'csv',
    'concurrency',
    'geoid',
    'taxonomy',
    'geometry',
    'fgb',
    'store',
    'addresses',
    'blocks',
    'matrix',
    'transit',
    'nearest',
    'places',
    'bands',
    'pmtiles',
    'pois',
    'weights',
    'access',
    'parquet',
    'release',
    'changes',
    'verify',
  ],
  builder: [
    'errors',
    'progress',
    'routing-parameters',
    'build-request',
    'scratch-folder',
    'inputs',
    'geo',
    'census',
    'gtfs',
    'osm',
    'addresses',
    'weights',
    'fetch',
    'elevation',
    'streets',
    'base-map',
    'destinations',
    'extract',
    'transit',
    'threads',
    'search',
    'receipts',
    'publish',
    'prepare',
    'plan',
    'transpose',
    'access',
    'tiles',
    'region',
    'county',
    'memory-budget',
    'build-region',
    'join',
    'export',
    'changes',
    'tasks',
    'build',
    'refresh',
  ],
  proxy: [
    'plans',
    'ledger',
    'http',
    'config',
    'bounds',
    'exports',
    'formats',
    'metering',
    'services',
    'endpoint',
    'local-request',
    'finish-response',
    'queries',
    'fields',
    'schemas',
    'execute',
    'batch',
    'isochrone',
    'endpoints',
    'serve',
    'openapi',
    'docs',
    'mcp',
    'app',
  ],
  'proxy/queries': [
    'block-weights',
    'searched-area',
    'exchanged-coordinates',
    'rows',
    'modes-and-types',
    'origins',
    'nearest',
    'pois',
    'journeys',
    'areas',
    'addresses',
    'opportunities',
    'changes',
    'sites',
  ],
  portal: [
    'client',
    'page-paths',
    'map-classes',
    'responses',
    'mail',
    'sign-in',
    'config',
    'payment',
    'services',
    'routes',
    'openapi',
    'pages',
    'app',
  ],
  'portal/pages': [
    'formats',
    'api',
    'parts',
    'router',
    'session',
    'map',
    'front',
    'my',
    'sign-in',
    'shell',
    'main',
    'embed',
    'vite.config',
  ],
  'portal/pages/map': [
    'measures',
    'catalogue',
    'state',
    'tiles',
    'drawing',
    'blocks',
    'still',
    'paid',
    'panels',
    'profile',
    'views',
    'shell',
  ],
  infra: [
    'supported-node',
    'errors',
    'program-start',
    'shutdown-signals',
    'listen',
    'settings',
    'observe',
    'demo',
    'scenario',
    'webhook',
    'mail-page',
    'serve',
    'portal',
    'build-queue',
    'cli',
    'container',
    'own-area',
    'start-service',
    'start',
  ],
};

/**
 * The most files and lines that the program's folders, and the tests, may have. Growth is a
 * decision: whoever makes it raises a number, and whoever removes lines lowers it.
 */
const BUDGET: Readonly<Record<string, { readonly files: number; readonly lines: number }>> = {
  builder: { files: 338, lines: 40_350 },
  infra: { files: 119, lines: 13_850 },
  portal: { files: 226, lines: 23_100 },
  proxy: { files: 270, lines: 34_650 },
  shards: { files: 174, lines: 17_450 },
  test: { files: 813, lines: 117_300 },
};

const TOP_LEVEL = new Set([
  'builder',
  'infra',
  'portal',
  'proxy',
  'shards',
  'test',
  '.ci',
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'ACCURACY.md',
  'SCALE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  '.gitignore',
  '.npmrc',
  'biome.json',
  'package.json',
  'package-lock.json',
  'vitest.config.ts',
  'tsconfig.json',
]);

/** Tracked files only: no leftovers of an editor or a run. */
const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(file));
const files = tracked.filter((file) => /\.tsx?$/.test(file) && file.split('/')[0] in ALLOWED);

/** The longest key of `ALLOWED` that holds a file: parts with a rule of their own come last. */
const roomWithRule = (file: string) =>
  Object.keys(ALLOWED).findLast((room) => file.startsWith(`${room}/`))!;

/** The local modules that a file imports, type imports included. */
const importsOf = (file: string): string[] => {
  const source = readFileSync(file, 'utf8');
  const found = source.matchAll(/^(?:import|export) (?:[^']*? from )?'(\.{1,2}\/[^']+)'/gms);
  return [...found].map(([, specifier]) => path.posix.join(path.dirname(file), specifier));
};

test('imports go in the documented directions only', () => {
  const wrong: string[] = [];
  let imports = 0;
  for (const file of files) {
    const allowed = ALLOWED[roomWithRule(file)];
    for (const target of importsOf(file)) {
      imports++;
      const fits = allowed.some((place) => target === place || target.startsWith(`${place}/`));
      if (!fits) wrong.push(`${file} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(imports).toBeGreaterThan(200);
});

test('there are no import cycles', () => {
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      return;
    }
    state.set(file, 'open');
    for (const target of importsOf(file)) visit(target, [...trail, file]);
    state.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

test('no folders import each other, directly or by way of others', () => {
  // The parts of a folder are its files and folders; an import connects those in which the paths of
  // both files differ first.
  const parts = new Map<string, Map<string, Set<string>>>();
  for (const file of files) {
    for (const target of importsOf(file)) {
      // The client is a package of its own, which assistants' tools of the proxy use.
      if (target.startsWith('portal/client/')) continue;
      const [from, to] = [file.split('/'), target.split('/')];
      const depth = from.findIndex((name, i) => name !== to[i]);
      const folder = from.slice(0, depth).join('/');
      if (!parts.has(folder)) parts.set(folder, new Map());
      const imports = parts.get(folder)!;
      if (!imports.has(from[depth])) imports.set(from[depth], new Set());
      imports.get(from[depth])!.add(to[depth]);
    }
  }
  const circles: string[] = [];
  for (const [folder, imports] of parts) {
    const reached = (part: string, seen = new Set<string>()): Set<string> => {
      for (const next of imports.get(part) ?? []) {
        if (!seen.has(next)) reached(next, seen.add(next));
      }
      return seen;
    };
    for (const part of imports.keys()) {
      if (reached(part).has(part)) circles.push(`${folder}/${part}`);
    }
  }
  expect(circles).toEqual([]);
});

test.each(Object.keys(FLOORS))('the parts of %s import only earlier ones', (house) => {
  const floors = FLOORS[house];
  const depth = house.split('/').length;
  const roomOf = (file: string) => file.split('/')[depth].replace(/\.tsx?$/, '');
  const own = files.filter((file) => file.startsWith(`${house}/`));
  expect([...new Set(own.map(roomOf))].sort()).toEqual([...floors].sort());
  const wrong: string[] = [];
  for (const file of own) {
    for (const target of importsOf(file)) {
      if (!target.startsWith(`${house}/`)) continue;
      if (floors.indexOf(roomOf(target)) <= floors.indexOf(roomOf(file))) continue;
      wrong.push(`${file} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

test.each(Object.entries(BUDGET))('%s stays within its budget', (folder, budget) => {
  const sources = tracked.filter(
    (file) => file.startsWith(`${folder}/`) && /\.(tsx?|js)$/.test(file),
  );
  const lines = sources.reduce(
    (sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1,
    0,
  );
  expect(sources.length).toBeLessThanOrEqual(budget.files);
  expect(lines).toBeLessThanOrEqual(budget.lines);
});

test('the program is compiled from its folders, without tests and benchmarks', () => {
  const { include } = JSON.parse(readFileSync('infra/tsconfig.build.json', 'utf8'));
  expect([...include].sort()).toEqual(
    Object.keys(ALLOWED)
      .filter((room) => !room.includes('/'))
      .map((house) => `../${house}`)
      .sort(),
  );
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scripts.build).toContain('tsc -p infra/tsconfig.build.json');
});

test('the top level holds only what the architecture names', () => {
  const entries = new Set(tracked.map((file) => file.split('/')[0]));
  expect([...entries].filter((entry) => !TOP_LEVEL.has(entry))).toEqual([]);
});
