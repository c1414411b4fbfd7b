import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ownProcessName } from '../../shards/store/process-name.ts';

/** The parts of this process's name. */
const [, , ...HERE] = ownProcessName().split('_');

/** The name of a running process of this machine. */
export function runningName(pid: number): string {
  // The name of the program, in parentheses, is followed by 19 values before the start.
  const [, start] = /^.*\) (?:\S+ ){19}(\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!;
  return [pid, start, ...HERE].join('_');
}

/** The name of a process of this machine that has ended. */
export function endedName(): string {
  const pid = execFileSync(process.execPath, ['-p', 'process.pid']).toString().trim();
  return [pid, '1', ...HERE].join('_');
}

/** The name of a process of this machine that had the id of another, which runs now. */
export function reusedName(pid: number): string {
  return [pid, '1', ...HERE].join('_');
}

/** The name of a process in another container of this machine. */
export function unseenName(): string {
  const [, boot] = HERE;
  return ['1', '1', '1234567890', boot, 'another-container'].join('_');
}

/** The name of a process before the machine was started again. */
export function nameBeforeBoot(): string {
  const [space, , host] = HERE;
  return [process.pid, '1', space, '0badb007', host].join('_');
}
