import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { TTA } from './tta.ts';

/** `tta serve` by several processes, compiled, as an operator starts it. */
export interface ServedFleet {
  readonly address: string;
  readonly parent: ChildProcess;
  /** What was written to stderr so far. */
  noise(): string;
  /** The process ids of those that answer. */
  pids(): Promise<number[]>;
  /** Ends it by SIGTERM; its exit code. */
  stop(): Promise<number | null>;
}

export async function startFleet(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServedFleet> {
  // The test runner sets a BASE_URL of its own, which is a setting of ours too.
  const { BASE_URL: _, ...inherited } = process.env;
  const parent = spawn(process.execPath, [TTA, 'serve', '--port', '0', ...args], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let noise = '';
  parent.stderr.on('data', (chunk) => {
    noise += chunk;
  });
  let said = '';
  for await (const chunk of parent.stdout) {
    said += chunk;
    if (said.includes('\n')) break;
  }
  const address = /http:\/\/\S+/.exec(said)?.[0];
  if (!address) throw new Error(`did not start: ${said}${noise}`);
  return {
    ...{ address, parent, noise: () => noise },
    async pids() {
      const file = `/proc/${parent.pid}/task/${parent.pid}/children`;
      return (await readFile(file, 'utf8')).trim().split(' ').filter(Boolean).map(Number);
    },
    async stop() {
      if (parent.exitCode !== null || parent.signalCode !== null) return parent.exitCode;
      parent.kill('SIGTERM');
      return (await once(parent, 'exit'))[0];
    },
  };
}
