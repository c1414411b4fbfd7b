import { Worker } from 'node:worker_threads';

/** Longest time without a sign of life: a build takes a fraction of a second. */
const SILENCE_MS = 120_000;
const LINE_BYTES = 4_096;

/**
 * Ends the process if it computes for two minutes without end, after printing the line that was
 * noted last. A thread of its own sees it, for the main thread would be busy.
 */
export class Watchdog {
  /** Count of lines noted, and the bytes of the last one. */
  readonly #shared = new SharedArrayBuffer(4 + LINE_BYTES);
  readonly #worker: Worker;

  constructor() {
    this.#worker = new Worker(WATCH, {
      eval: true,
      workerData: { shared: this.#shared, silence: SILENCE_MS, process: process.pid },
    });
    this.#worker.unref();
  }

  note(line: string): void {
    const text = new Uint8Array(this.#shared, 4).fill(0);
    new TextEncoder().encodeInto(line, text);
    Atomics.add(new Int32Array(this.#shared, 0, 1), 0, 1);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

const WATCH = `
const { workerData: { shared, silence, process: pid } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const count = new Int32Array(shared, 0, 1);
let last = -1;
setInterval(() => {
  if (count[0] !== last) return void (last = count[0]);
  const line = Buffer.from(new Uint8Array(shared, 4)).toString().replaceAll('\\0', '');
  writeSync(2, 'endless: ' + line + '\\n');
  process.kill(pid, 'SIGKILL');
}, silence);
`;
