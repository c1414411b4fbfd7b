import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { TTA } from '../support/tta.ts';
import { type Costs, costsOf, NO_COSTS, plus, type StepCosts, since } from './costs.ts';
import { residentMemory } from './resident-memory.ts';

const LOOK_EVERY_MS = 250;

/** A running command, and its resource usage so far, to a quarter of a second. */
export class WatchedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  peakMegabytes = 0;
  said = '';
  readonly #beganMs = performance.now();
  #costs = NO_COSTS;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [TTA, ...args], { env: { ...process.env, ...env } });
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
        await this.costs();
      } catch {
        return; // It has exited.
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  get processorSeconds(): number {
    return this.#costs.seconds;
  }

  /** Returns the costs of the command so far, without its children, or as last seen alive. */
  async costs(): Promise<Costs> {
    // A process that ends while it is looked at has no times any more.
    const now = await costsOf(this.child.pid!, this.#beganMs).catch(() => NO_COSTS);
    if (now.elapsed > this.#costs.elapsed && now.seconds >= this.#costs.seconds) this.#costs = now;
    return this.#costs;
  }

  /**
   * Adds what the command takes to steps, until it ends: what it took since its last line of
   * progress belongs to the step that `stepOf` names for a line, or for null, its end.
   */
  async addCosts(steps: StepCosts, stepOf: (line: string | null) => string): Promise<void> {
    let before = NO_COSTS;
    const add = async (line: string | null) => {
      const now = await this.costs();
      const step = stepOf(line);
      steps.set(step, plus(steps.get(step) ?? NO_COSTS, since(before, now)));
      before = now;
    };
    for await (const line of createInterface(this.child.stderr!)) await add(line);
    await this.ended;
    await add(null);
  }

  /** Stops the command by a signal, and waits for its end. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.child.kill(signal);
    await this.ended;
  }

  /** Waits for the end of the command; throws its output if it failed. */
  async succeeded(): Promise<void> {
    if ((await this.ended) !== 0) {
      throw new Error(`tta ${this.child.spawnargs.slice(2).join(' ')}: ${this.said}`);
    }
  }
}

/** Runs a command to its end; throws its output if it fails. */
export async function watched(...args: readonly string[]): Promise<WatchedCommand> {
  const command = new WatchedCommand(args);
  await command.succeeded();
  return command;
}
