import module from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Folder of compiled modules, within the installation. In a folder that other users can write to,
 * they could replace the code.
 */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/tta', import.meta.url));

/**
 * Keeps compiled modules for the next start of this program and of its threads, which inherit the
 * variable. Node supports this from 22.8 on. With an older version, or if the folder cannot be
 * written, each start compiles them.
 */
export function keepCompiledModules(): void {
  process.env.NODE_COMPILE_CACHE ??= FOLDER;
  const node: typeof module & { enableCompileCache?: () => unknown } = module;
  node.enableCompileCache?.();
}
