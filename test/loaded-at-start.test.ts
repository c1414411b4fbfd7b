import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Imports and re-exports of values; those of types alone are erased. */
const VALUE_IMPORT = /^(?:import|export) (?!type\b)(?:[^']*? from )?'([^']+)';/gms;

/** The packages that are loaded along with a module, directly or through others. */
function packagesOf(entry: string): string[] {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(VALUE_IMPORT)) {
      if (specifier.startsWith('.')) visit(path.join(path.dirname(file), specifier));
      else if (!specifier.startsWith('node:')) packages.add(packageOf(specifier));
    }
  };
  visit(entry);
  return [...packages].sort();
}

/** The package of a specifier: `@scope/name` of `@scope/name/part`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

const SERVER = ['fastify', 'flatqueue', 'lru-cache', 'pino', 'zod'];

test.each<[string, string, readonly string[]]>([
  ['the list of commands', 'infra/cli/main.ts', ['commander', 'zod']],
  ['a command on a ledger', 'infra/cli/with-ledger.ts', ['zod']],
  ['the API', 'infra/serve.ts', [...SERVER, 'flatbush', 'robust-predicates']],
  ['the portal', 'infra/portal.ts', [...SERVER, 'tldts']],
])('%s loads the packages that it starts with, and no others', (_, entry, packages) => {
  expect(packagesOf(entry)).toEqual([...packages].sort());
});
