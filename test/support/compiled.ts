import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as MakePlan from '../../builder/plan/make-plan.ts';
import type * as PreparationPool from '../../builder/prepare/preparation-pool.ts';
import type * as Pool from '../../builder/threads/pool.ts';

/**
 * Modules that tests import in compiled form, as installed: they start threads, which run compiled
 * code.
 */
interface Compiled {
  readonly 'plan/make-plan': typeof MakePlan;
  readonly 'prepare/preparation-pool': typeof PreparationPool;
  readonly 'threads/pool': typeof Pool;
}

/** Imports a compiled module of the builder. */
export function compiled<Name extends keyof Compiled>(name: Name): Promise<Compiled[Name]> {
  return import(pathToFileURL(path.resolve(`dist/builder/${name}.js`)).href);
}
