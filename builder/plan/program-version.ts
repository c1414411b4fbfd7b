import { createHash, type Hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { systemCode } from '../../shards/error-facts.ts';

/** What a build's bytes follow from beside its inputs: the builder's own code, and the formats'. */
const ROOMS = ['builder', 'shards'];
/** Where npm writes down what it has installed. */
const INSTALLED = 'node_modules/.package-lock.json';
const DIGITS = 16;

let version: string | null = null;

/**
 * A name for the program as it stands: a digest of its code and of what it depends on, and the Node
 * that runs it. Two programs of one name make the same bytes of the same inputs; a number that
 * somebody has to raise would say less.
 */
export function programVersion(): string {
  version ??= versionOf(fileURLToPath(new URL('../..', import.meta.url)), process.versions.node);
  return version;
}

/** The same of the program in a folder, run by some Node. */
export function versionOf(root: string, node: string): string {
  const hash = createHash('sha256');
  hashCode(hash, root);
  hashDependencies(hash, root);
  return `${hash.digest('hex').slice(0, DIGITS)} on Node ${node.split('.')[0]}`;
}

function hashCode(hash: Hash, root: string): void {
  for (const room of ROOMS) {
    const files = readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /(?<!\.d)\.(ts|js)$/.test(name)).sort()) {
      hash.update(`${room}/${file}\n`);
      hash.update(readFileSync(path.join(root, room, file)));
    }
  }
}

const installedSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string(),
      dev: z.boolean().default(false),
      devOptional: z.boolean().default(false),
      optional: z.boolean().default(false),
    }),
  ),
});

/**
 * Packages and their versions, but for those of development and of one kind of machine: workers may
 * be of several. Where something else than npm has installed them, there is none to tell.
 */
function hashDependencies(hash: Hash, root: string): void {
  const { packages } = installedSchema.parse(installedIn(root) ?? { packages: {} });
  for (const name of Object.keys(packages).sort()) {
    const { version, dev, devOptional, optional } = packages[name];
    if (!dev && !devOptional && !optional) hash.update(`${name} ${version}\n`);
  }
}

/** Beside the sources, or beside the folder that they compile to. */
function installedIn(root: string): unknown {
  for (const up of ['.', '..']) {
    try {
      return JSON.parse(readFileSync(path.join(root, up, INSTALLED), 'utf8'));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
  return null;
}
