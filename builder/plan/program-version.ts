import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a build's bytes follow from beside its inputs: the builder's own code, and the formats'. */
const ROOMS = ['builder', 'shards'];
const DIGITS = 16;

let version: string | null = null;

/**
 * A name for the program as it stands: a digest of its code. Two programs of one name make the same
 * bytes of the same inputs; a number that somebody has to raise would say less.
 */
export function programVersion(): string {
  version ??= digestOfCode(fileURLToPath(new URL('../..', import.meta.url)));
  return version;
}

function digestOfCode(root: string): string {
  const hash = createHash('sha256');
  for (const room of ROOMS) {
    const files = readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /(?<!\.d)\.(ts|js)$/.test(name)).sort()) {
      hash.update(`${room}/${file}\n`);
      hash.update(readFileSync(path.join(root, room, file)));
    }
  }
  return hash.digest('hex').slice(0, DIGITS);
}
