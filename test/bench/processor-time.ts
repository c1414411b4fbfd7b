import { readdir, readFile } from 'node:fs/promises';

/** The unit of Linux's processor time. */
const TICKS_PER_SECOND = 100;

/**
 * Seconds of processor time used by a process and its descendants: from `/proc`, to a hundredth.
 */
export async function processorSeconds(pid: number): Promise<number> {
  const stats = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(statOf),
  );
  const known = stats.filter((stat) => stat !== null);
  let below = new Set([pid]);
  for (let before = 0; before < below.size; ) {
    before = below.size;
    below = new Set([
      ...below,
      ...known.filter((one) => below.has(one.parent)).map((one) => one.pid),
    ]);
  }
  const ticks = known.filter((one) => below.has(one.pid)).map((one) => one.ticks);
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND;
}

/**
 * Seconds of processor time used by a process alone, with all its threads; 0 once it has exited.
 */
export async function ownProcessorSeconds(pid: number): Promise<number> {
  return ((await statOf(`${pid}`))?.ticks ?? 0) / TICKS_PER_SECOND;
}

async function statOf(pid: string) {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name of the process, in parentheses before the state, may itself contain parentheses.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { pid: Number(pid), parent: fields[1], ticks: fields[11] + fields[12] };
  } catch {
    return null; // It has exited.
  }
}
