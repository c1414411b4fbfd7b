import { createHash, type Hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { systemCode } from '../../shards/error-facts.ts';
import { ShardError } from '../../shards/errors.ts';
import type { ObjectRef } from '../../shards/store/store.ts';

/**
 * The folders with the code that determines a build's output: the builder itself, and the formats.
 */
const ROOMS = ['builder', 'shards'];
/** The record of installed packages that npm keeps. */
const INSTALLED = 'node_modules/.package-lock.json';
const DIGITS = 16;

let version: string | null = null;

/**
 * Identifies the current program: a digest of its code and its dependencies, and the version of
 * Node. Two programs with the same version produce the same bytes from the same inputs; a manually
 * incremented number would be less reliable.
 */
export function programVersion(): string {
  version ??= versionOf(fileURLToPath(new URL('../..', import.meta.url)), process.versions.node);
  return version;
}

/**
 * Throws an error if a plan, or a job for one, was created by a version of this program other than
 * the running one.
 */
export function requireThisProgram({
  ref,
  plan,
}: {
  readonly ref: Pick<ObjectRef, 'name'>;
  readonly plan: { readonly program: string };
}): void {
  const own = programVersion();
  if (plan.program === own) return;
  throw new ShardError(
    ref.name,
    'program',
    `was made by ${plan.program}, a different version of the program from this one, ${own}; use the same version everywhere`,
  );
}

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
 * Hashes packages and their versions, except for development and platform-specific packages, since
 * workers may run on several platforms. If anything other than npm installed the packages, there is
 * nothing to hash.
 */
function hashDependencies(hash: Hash, root: string): void {
  const { packages } = installedSchema.parse(installedIn(root) ?? { packages: {} });
  for (const name of Object.keys(packages).sort()) {
    const { version, dev, devOptional, optional } = packages[name];
    if (!dev && !devOptional && !optional) hash.update(`${name} ${version}\n`);
  }
}

/**
 * Reads the record of installed packages, next to the sources or next to the folder that they
 * compile to. Null if there is none.
 */
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
