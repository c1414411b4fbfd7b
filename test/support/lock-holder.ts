import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/**
 * Starts a separate process that tries to acquire `section.lock` of a store, reports whether it
 * did, and never releases the lock. `open` is the code that opens the store; `location` is the
 * first argument of the process, `wrapper` a command to run it by.
 */
export function lockHolder(
  imports: string,
  open: string,
  location: string,
  env: Readonly<Record<string, string>> = {},
  wrapper: readonly string[] = [],
): ChildProcessByStdio<null, Readable, null> {
  const program = `${imports}
    const { taken } = await ${open}.lock('section.lock');
    process.stdout.write(String(taken));
    setInterval(() => {}, 60_000);`;
  const [file, ...args] = [...wrapper, process.execPath, '--input-type=module'];
  return spawn(file, [...args, '-e', program, location], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
}
