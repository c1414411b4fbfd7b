import { readFileSync, statSync } from 'node:fs';

/** SQLite's byte of a write-ahead log's index that the only writer locks. */
const WRITER_BYTE = '120';

/** A process with a lock on a file, such as `process 4711 (node …, stopped)`. */
interface Holder {
  readonly pid: number;
  readonly shown: string;
}

/**
 * The processes that have a database open. Known on Linux only, and of this machine or container
 * only; otherwise empty.
 */
export function processesUsing(file: string): Holder[] {
  return holdersOf(file, () => true);
}

/** The processes that are changing a database, known as in `processesUsing`. */
export function processesWriting(file: string): Holder[] {
  return holdersOf(`${file}-shm`, (from) => from === WRITER_BYTE);
}

function holdersOf(file: string, isMeant: (fromByte: string) => boolean): Holder[] {
  try {
    const { dev, ino } = statSync(file);
    const pids = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .filter((line) => line.includes(' POSIX '))
      .map((line) => line.split(/\s+/).slice(4))
      .filter(([, place, from]) => place === placeOf(dev, ino) && isMeant(from))
      .map(([pid]) => Number(pid));
    return [...new Set(pids)].map((pid) => ({ pid, shown: shownOf(pid) }));
  } catch {
    return [];
  }
}

/** A file as `/proc/locks` writes it: its device in hexadecimal, and its inode. */
function placeOf(device: number, inode: number): string {
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  const hex = (part: number) => part.toString(16).padStart(2, '0');
  return `${hex(major)}:${hex(minor)}:${inode}`;
}

function shownOf(pid: number): string {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    const stopped = /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return `process ${pid} (${command.slice(0, 100)}${stopped ? ', stopped' : ''})`;
  } catch {
    return `process ${pid}`;
  }
}
