import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** The command as installed: compiled, to be run in a separate process. */
export const TTA = path.resolve('dist/infra/cli/tta.js');

/** The result of a command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command to its end, whatever the exit code. */
export function tta(...args: string[]): Promise<Ended> {
  return ttaIn({}, ...args);
}

/** Runs it with additional environment variables. */
export function ttaIn(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  return promisify(execFile)(process.execPath, [TTA, ...args], { env: { ...process.env, ...env } })
    .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }))
    .catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }));
}
