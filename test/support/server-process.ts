import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** A server as a process of its own, and where it listens. */
export interface ServerProcess {
  readonly address: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** What it has written to stdout so far, and to stderr. */
  said(): string;
  noise(): string;
  /** Ends it by SIGTERM, unless it has ended; its exit code. */
  stop(): Promise<number | null>;
}

interface Start {
  /** What it says once it is ready. */
  readonly until?: RegExp;
  readonly cwd?: string;
  readonly node?: string;
}

const ADDRESS = /http:\/\/[\w.]+:\d+/;

/** Starts a Node program and waits until it says the address it listens at. */
export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { until = ADDRESS, cwd, node = process.execPath }: Start = {},
): Promise<ServerProcess> {
  // What runs tests sets a BASE_URL of its own, which is a setting of ours too.
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
