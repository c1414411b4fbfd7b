import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

export interface LedgerProgram {
  readonly child: ChildProcess;
  /** Writes a line to the program's standard input. */
  tell(line: string): void;
  /** Output of the program so far. */
  output(): string;
  /**
   * Resolves when the program has written this text; rejects with all its output if it exits first.
   */
  says(words: string): Promise<void>;
  /** Resolves with the program's exit code, or null if it was killed by a signal. */
  readonly ended: Promise<number | null>;
}

/**
 * File descriptor that `say` writes to. Once a thread has been started, Node makes standard output
 * non-blocking, so that a write to it fails while its reader is busy.
 */
const SAID = 3;

/**
 * Runs JavaScript in a separate process, on the built code, with the ledger at `address` open as
 * `ledger`, `say(words)` to write lines, and `heard` to read lines from its standard input.
 * `maxFileBlocks` is the size in KiB of the largest file that the process may write, which
 * simulates a full disk for this process alone.
 */
export function runLedgerProgram(
  address: string,
  body: string,
  { maxFileBlocks }: { maxFileBlocks?: number } = {},
): LedgerProgram {
  const module = pathToFileURL(path.resolve('dist/proxy/ledger/open-ledger.js')).href;
  const program = `
    import { writeSync } from 'node:fs';
    import { createInterface } from 'node:readline';
    import { openLedger } from ${JSON.stringify(module)};
    const say = (words) => writeSync(${SAID}, words + '\\n');
    const heard = { [Symbol.asyncIterator]: () => createInterface(process.stdin)[Symbol.asyncIterator]() };
    const ledger = await openLedger(${JSON.stringify(address)}, { rateLimitPerMinute: 1e6 });
    ${body}`;
  const limit = maxFileBlocks === undefined ? '' : `ulimit -S -f ${maxFileBlocks};`;
  // bash counts in KiB; in other shells the unit of ulimit -f is half of that.
  const command = `${limit} exec "$0" --input-type=module -e "$1"`;
  const child = spawn('bash', ['-c', command, process.execPath, program], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  let text = '';
  let code: number | null | undefined;
  const changed = new Set<() => void>();
  const lookAgain = () => {
    for (const look of changed) look();
  };
  for (const stream of [child.stdout, child.stderr, child.stdio[SAID] as Readable]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
      lookAgain();
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (exitCode) => {
      code = exitCode;
      resolve(exitCode);
      lookAgain();
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
  const tell = (line: string) => void child.stdin.write(`${line}\n`);
  return { child, tell, output: () => text, says, ended };
}
