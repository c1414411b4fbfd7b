import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** A folder for a test file's OSM files, removed at the end. */
export class Scratch {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'osm-test-'));

  constructor() {
    afterAll(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  path(name: string): string {
    return path.join(this.#folder, name);
  }

  write(name: string, bytes: Uint8Array): string {
    const file = this.path(name);
    writeFileSync(file, bytes);
    return file;
  }

  /** Writes elements, given as OPL lines in any order, as a sorted PBF file by osmium. */
  pbf(name: string, opl: readonly string[], ...options: string[]): string {
    const text = this.write(`${name}.opl`, new TextEncoder().encode(`${opl.join('\n')}\n`));
    const file = this.path(`${name}.osm.pbf`);
    execFileSync('osmium', ['sort', text, '-o', file, '--overwrite', ...options]);
    return file;
  }

  /** Rewrites a file by osmium, with `format` naming the variant: `pbf,pbf_compression=none`. */
  rewritten(source: string, name: string, format: string, ...options: string[]): string {
    const file = this.path(`${name}.osm.pbf`);
    execFileSync('osmium', ['cat', source, '-f', format, '-o', file, '--overwrite', ...options]);
    return file;
  }
}
