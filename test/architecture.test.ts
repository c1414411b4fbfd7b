import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** What each room may import of ours. A longer path is a part of a room. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  shards: ['shards'],
  builder: ['builder', 'shards'],
  proxy: ['proxy', 'shards', 'portal/accounts', 'portal/plans.ts'],
  portal: ['portal', 'shards'],
  infra: ['infra', 'builder', 'proxy', 'portal', 'shards'],
};

const TOP_LEVEL = new Set([
  ...['builder', 'infra', 'portal', 'proxy', 'shards', 'test', '.ci'],
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'ACCURACY.md', 'SCALE.md'],
  ...['LICENSE', '.gitignore', 'biome.json'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'vitest.config.ts'],
]);

const files = Object.keys(ALLOWED).flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.posix.join(room, file)),
);

/** Imports of ours in each file: those of types alone are gone when the program runs. */
const importsOf = (file: string, kinds: 'all' | 'values'): string[] => {
  const source = readFileSync(file, 'utf8');
  const found = source.matchAll(
    /^(?:import|export) (type )?(?:[^']*? from )?'(\.{1,2}\/[^']+)'/gms,
  );
  return [...found]
    .filter(([, isType]) => kinds === 'all' || !isType)
    .map(([, , specifier]) => path.posix.join(path.dirname(file), specifier));
};

test('imports go in the written directions only', () => {
  const wrong: string[] = [];
  let imports = 0;
  for (const file of files) {
    const allowed = ALLOWED[file.split('/')[0]];
    for (const target of importsOf(file, 'all')) {
      imports++;
      const fits = allowed.some((place) => target === place || target.startsWith(`${place}/`));
      if (!fits) wrong.push(`${file} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(imports).toBeGreaterThan(200);
});

test('no files import each other in a circle', () => {
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      return;
    }
    state.set(file, 'open');
    for (const target of importsOf(file, 'values')) visit(target, [...trail, file]);
    state.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

test('the top level holds what the architecture names', () => {
  const generated = new Set(['node_modules', 'dist', 'var', 'coverage', '.git']);
  const entries = readdirSync('.').filter((entry) => !generated.has(entry));
  expect(entries.filter((entry) => !TOP_LEVEL.has(entry))).toEqual([]);
});
