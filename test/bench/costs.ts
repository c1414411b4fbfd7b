import { readFile } from 'node:fs/promises';
import { ownProcessorSeconds } from './processor-time.ts';

/** Costs of work: seconds of processor time and of the clock, and bytes of its system calls. */
export interface Costs {
  readonly seconds: number;
  readonly elapsed: number;
  readonly read: number;
  readonly written: number;
}

export type StepCosts = Map<string, Costs>;

export const NO_COSTS: Costs = { seconds: 0, elapsed: 0, read: 0, written: 0 };

/** The costs of a process so far, with all its threads. Throws if it has ended. */
export async function costsOf(pid: number, beganMs: number): Promise<Costs> {
  const io = await readFile(`/proc/${pid}/io`, 'utf8');
  const bytes = (field: string) => Number(new RegExp(`^${field}: (\\d+)$`, 'm').exec(io)![1]);
  return {
    seconds: await ownProcessorSeconds(pid),
    elapsed: (performance.now() - beganMs) / 1_000,
    read: bytes('rchar'),
    written: bytes('wchar'),
  };
}

export function sumOfCosts(all: Iterable<Costs>): Costs {
  return [...all].reduce(plus, NO_COSTS);
}

export function plus(a: Costs, b: Costs): Costs {
  return combined(a, b, (x, y) => x + y);
}

/** The costs from `before` to `after`; none is negative. */
export function since(before: Costs, after: Costs): Costs {
  return combined(after, before, (x, y) => Math.max(0, x - y));
}

function combined(a: Costs, b: Costs, of: (x: number, y: number) => number): Costs {
  return {
    seconds: of(a.seconds, b.seconds),
    elapsed: of(a.elapsed, b.elapsed),
    read: of(a.read, b.read),
    written: of(a.written, b.written),
  };
}
