import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as PlanRelease from '../../builder/tasks/plan-release.ts';
import type * as ThreadExecutor from '../../builder/tasks/thread-executor.ts';
import type * as Pool from '../../builder/threads/pool.ts';

/**
 * Modules that tests import in compiled form, as installed: they start threads, which run compiled
 * code.
 */
interface Compiled {
  readonly 'tasks/plan-release': typeof PlanRelease;
  readonly 'tasks/thread-executor': typeof ThreadExecutor;
  readonly 'threads/pool': typeof Pool;
}

/** Imports a compiled module of the builder. */
export function compiled<Name extends keyof Compiled>(name: Name): Promise<Compiled[Name]> {
  return import(pathToFileURL(path.resolve(`dist/builder/${name}.js`)).href);
}
