import { readFile } from 'node:fs/promises';

/** Resident memory of a process in MB, from Linux: current or peak. */
export async function residentMemory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]);
  return Math.round(kibibytes / 1024);
}
