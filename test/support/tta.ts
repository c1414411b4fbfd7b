import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

/** The command as installed: compiled, to be run in a separate process. */
export const TTA = path.resolve('dist/infra/cli/tta.js');

const RUNNER = path.resolve('test/support/command-runner.js');

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

/** Runs the command to its end with additional environment variables. */
export function ttaIn(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  return promisify(execFile)(process.execPath, [TTA, ...args], { env: { ...process.env, ...env } })
    .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }))
    .catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }));
}

/** Runs a command with additional environment variables. */
export type RunIn = (env: Readonly<Record<string, string>>, ...args: string[]) => Promise<Ended>;

/**
 * Runs commands of the tests of a file one after the other in a separate process, compiled, in the
 * given folder. The process loads the program once, which takes longer than most commands do, and
 * starts with the environment of the first command. A command fails if it leaves anything open,
 * since it would not end by itself.
 */
export function commandsOfTests(cwd?: string): RunIn {
  let starting: Promise<Runner> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  afterAll(async () => (await starting)?.end());
  return (env, ...args) => {
    const ended = last.then(async () => {
      starting ??= startRunner({ ...process.env, ...env }, cwd);
      return (await starting).run({ args, env: { ...process.env, ...env } });
    });
    last = ended.catch(() => {});
    return ended;
  };
}

interface Runner {
  run(command: { args: readonly string[]; env: NodeJS.ProcessEnv }): Promise<Ended>;
  end(): Promise<unknown>;
}

async function startRunner(env: NodeJS.ProcessEnv, cwd?: string): Promise<Runner> {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, [RUNNER], { env, cwd, stdio: [...stdio] });
  const exited = once(child, 'exit');
  const crashed = exited.then(() => {
    throw new Error('the process that runs commands has ended');
  });
  crashed.catch(() => {});
  const message = () => Promise.race([once(child, 'message'), crashed]);
  await message();
  return {
    async run(command) {
      child.send(command);
      const [ended] = await message();
      return ended;
    },
    end() {
      child.kill('SIGKILL');
      return exited;
    },
  };
}
