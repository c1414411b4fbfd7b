import module from 'node:module';
import { fileURLToPath } from 'node:url';

/** In the installation: in a folder that others can write, they could replace the code. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/tta', import.meta.url));

/**
 * Keeps compiled modules for the next start of this program and the processes it starts. Node can
 * from 22.8 on; otherwise, or where the folder cannot be written, each start compiles them.
 */
export function keepCompiledModules(): void {
  process.env.NODE_COMPILE_CACHE ??= FOLDER;
  const node: typeof module & { enableCompileCache?: () => unknown } = module;
  node.enableCompileCache?.();
}
