import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server as a process of its own, and where it listens. */
export interface ServerProcess {
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a Node program and waits until it prints the address it listens at. */
export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  // A loop that is left would close the pipe, and the program would die of its next word.
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += chunk;
    const address = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
    if (address === undefined) continue;
    child.stdout.on('data', () => {});
    return { address, pid: child.pid!, stop: () => stopped(child) };
  }
  throw new Error(`${args.join(' ')} ended before it listened: ${said}`);
}

async function stopped(child: ChildProcess): Promise<void> {
  // False: it has ended already.
  if (child.kill('SIGTERM')) await once(child, 'exit');
}
