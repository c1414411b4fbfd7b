import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** The command as it is installed: compiled, to be run in a process of its own. */
export const TTA = path.resolve('dist/infra/cli/tta.js');

/** What a command left behind. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command to its end, whatever that is. */
export function tta(...args: string[]): Promise<Ended> {
  return ttaIn({}, ...args);
}

/** Runs it with more in its environment. */
export function ttaIn(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  return promisify(execFile)(process.execPath, [TTA, ...args], { env: { ...process.env, ...env } })
    .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }))
    .catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }));
}
