import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { TTA } from '../support/tta.ts';
import { processorSeconds } from './processor-time.ts';
import { residentMemory } from './resident-memory.ts';

const LOOK_EVERY_MS = 250;

/** A running command, and its resource usage so far, to a quarter of a second. */
export class WatchedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  processorSeconds = 0;
  peakMegabytes = 0;
  said = '';

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, [TTA, ...args]);
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.said += text;
      });
    }
    this.ended = once(this.child, 'exit').then(([code]) => code);
    void this.#look();
  }

  async #look(): Promise<void> {
    const pid = this.child.pid!;
    while (this.child.exitCode === null && this.child.signalCode === null) {
      try {
        this.peakMegabytes = await residentMemory(pid, 'VmHWM');
        this.processorSeconds = Math.max(this.processorSeconds, await processorSeconds(pid));
      } catch {
        return; // It has exited.
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Stops the command by a signal, and waits for its end. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    await this.ended;
  }
}

/** Runs a command to its end; throws its output if it fails. */
export async function watched(...args: readonly string[]): Promise<WatchedCommand> {
  const command = new WatchedCommand(args);
  if ((await command.ended) !== 0) throw new Error(`tta ${args.join(' ')}: ${command.said}`);
  return command;
}
