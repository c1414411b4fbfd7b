import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export interface LedgerProgram {
  readonly child: ChildProcess;
  /** What it has written so far. */
  output(): string;
  /** Resolves when it has written these words; rejects, with all it wrote, when it ends first. */
  says(words: string): Promise<void>;
  /** Resolves with its exit code, or null if a signal ended it. */
  readonly ended: Promise<number | null>;
}

/**
 * Runs JavaScript in a process of its own, on the built code, with a ledger of this folder open as
 * `ledger` and `say(words)` to write. `maxFileBlocks` is the largest file that it may write, in
 * KiB: a disk that is full for this process alone.
 */
export function runLedgerProgram(
  directory: string,
  body: string,
  { maxFileBlocks }: { maxFileBlocks?: number } = {},
): LedgerProgram {
  const module = pathToFileURL(path.resolve('dist/portal/accounts/open-ledger.js')).href;
  const program = `
    import { writeSync } from 'node:fs';
    import { openLedger } from ${JSON.stringify(module)};
    const say = (words) => writeSync(1, words + '\\n');
    const ledger = await openLedger(${JSON.stringify(`lmdb:${directory}`)}, { rateLimitPerMinute: 1e6 });
    ${body}`;
  const limit = maxFileBlocks === undefined ? '' : `ulimit -S -f ${maxFileBlocks};`;
  // bash counts in KiB; in other shells the unit of ulimit -f is half of that.
  const command = `${limit} exec "$0" --input-type=module -e "$1"`;
  const child = spawn('bash', ['-c', command, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let code: number | null | undefined;
  const changed = new Set<() => void>();
  const tell = () => {
    for (const look of changed) look();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
      tell();
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (exitCode) => {
      code = exitCode;
      resolve(exitCode);
      tell();
    });
  });
  const says = (words: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (text.includes(words)) resolve();
        else if (code !== undefined)
          reject(new Error(`ended (${code}) before "${words}":\n${text}`));
        else return;
        changed.delete(look);
      };
      changed.add(look);
      look();
    });
  return { child, output: () => text, says, ended };
}
