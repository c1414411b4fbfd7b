import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/**
 * A process of its own that takes `section.lock` of a store, says whether it got it, and never lets
 * go. `open` is how it opens the store `location`, its first argument.
 */
export function lockHolder(
  imports: string,
  open: string,
  location: string,
  env: Readonly<Record<string, string>> = {},
): ChildProcessByStdio<null, Readable, null> {
  const program = `${imports}
    const { taken } = await ${open}.lock('section.lock');
    process.stdout.write(String(taken));
    setInterval(() => {}, 60_000);`;
  return spawn(process.execPath, ['--input-type=module', '-e', program, location], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
}
