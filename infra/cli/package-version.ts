import { readFileSync } from 'node:fs';

/** The version of this package, from its `package.json`. */
export function packageVersion(): string {
  // Two folders up from the sources, three from the compiled files.
  for (const up of ['../../', '../../../']) {
    const file = new URL(`${up}package.json`, import.meta.url);
    try {
      return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
    } catch {}
  }
  throw new Error('package.json is missing from the package');
}
