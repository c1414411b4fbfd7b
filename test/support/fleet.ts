import { readFile } from 'node:fs/promises';
import { freePort } from './free-port.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { TTA } from './tta.ts';

/** `tta serve` with several processes, compiled, as an operator starts it. */
export interface ServedFleet extends ServerProcess {
  /** The ids of the processes that respond. */
  pids(): Promise<number[]>;
}

export async function startFleet(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServedFleet> {
  const port = `${await freePort()}`;
  const server = await startServer([TTA, 'serve', '--port', port, ...args], env);
  return {
    ...server,
    async pids() {
      const file = `/proc/${server.pid}/task/${server.pid}/children`;
      return (await readFile(file, 'utf8')).trim().split(' ').filter(Boolean).map(Number);
    },
  };
}
