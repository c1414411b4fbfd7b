import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** A server as a separate process, and its address. */
export interface ServerProcess {
  readonly address: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Output so far on stdout; `noise` returns that on stderr. */
  said(): string;
  noise(): string;
  /** Stops the server by SIGTERM, unless it has exited; returns its exit code. */
  stop(): Promise<number | null>;
}

interface Start {
  /** Text that the program prints once it is ready; by default, its address. */
  readonly until?: RegExp;
  readonly cwd?: string;
  readonly node?: string;
}

const ADDRESS = /http:\/\/[\w.]+:\d+/;

/** Starts a Node program and waits until it prints the address it listens on. */
export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { until = ADDRESS, cwd, node = process.execPath }: Start = {},
): Promise<ServerProcess> {
  // Test runners set their own BASE_URL, which is also one of our settings.
  const { BASE_URL: _, ...inherited } = process.env;
  const child = spawn(node, args, { cwd, env: { ...inherited, ...env } });
  const text = { stdout: '', stderr: '' };
  for (const pipe of ['stdout', 'stderr'] as const) {
    child[pipe].on('data', (chunk) => {
      text[pipe] += chunk;
    });
  }
  let hasEnded = false;
  child.once('close', () => {
    hasEnded = true;
  });
  while (!until.test(text.stdout)) {
    if (hasEnded) {
      throw new Error(`${args.join(' ')} did not start: ${text.stdout}${text.stderr}`);
    }
    await pause(10);
  }
  return {
    address: ADDRESS.exec(text.stdout)![0],
    pid: child.pid!,
    child,
    said: () => text.stdout,
    noise: () => text.stderr,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      return child.exitCode;
    },
  };
}
