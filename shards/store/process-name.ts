import { readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { systemCode } from '../error-facts.ts';

/**
 * The name of a process in a lock, or of a folder: its id, its start in clock ticks since the boot,
 * the namespace of its id, the boot, and the host, which no other host in reach of the same disk
 * may share. Ids alone are reused, and differ between containers.
 */
const NAME = /^(\d+)_(\d+)_(\d+)_([0-9a-f]*)_([\w.-]*)$/;

interface NamedProcess {
  readonly pid: number;
  /** `0` where the system does not tell, and so for `space` and `boot`. */
  readonly start: string;
  readonly space: string;
  readonly boot: string;
  readonly host: string;
}

let own: { readonly name: string; readonly process: NamedProcess } | undefined;

export function ownProcessName(): string {
  return ownProcess().name;
}

/**
 * Whether the process of a name is running, as far as this process can tell: those of other
 * containers and machines are `unseen`. Null if the text is no name.
 */
export function processState(name: string): 'running' | 'ended' | 'unseen' | null {
  const named = parsed(name);
  if (!named) return null;
  const { space, boot, host } = ownProcess().process;
  if (named.boot !== boot) return named.host === host ? 'ended' : 'unseen';
  if (named.space !== space || (boot === '' && named.host !== host)) return 'unseen';
  const start = startOf(named.pid);
  if (start !== undefined) return start === named.start ? 'running' : 'ended';
  return isProcessAlive(named.pid) ? 'running' : 'ended';
}

/** A process for people, such as `process 4711`, with its host if this process cannot see it. */
export function shownProcess(name: string): string {
  const named = parsed(name);
  if (!named) return 'another process';
  const { pid, host } = named;
  return processState(name) === 'unseen' ? `process ${pid} on ${host}` : `process ${pid}`;
}

/** Makes a folder that names its owner, for `removeAbandonedFolders` to recognise it by. */
export function makeOwnFolder(parent: string, prefix: string): Promise<string> {
  return mkdtemp(path.join(parent, `${prefix}${ownProcessName()}-`));
}

/** Removes folders left by killed processes of this machine; those of other users stay. */
export async function removeAbandonedFolders(parent: string, prefix: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const owner = name.slice(prefix.length, name.lastIndexOf('-'));
    if (processState(owner) !== 'ended') continue;
    await rm(path.join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

function ownProcess() {
  if (own) return own;
  const host = hostname().replaceAll(/[^\w.-]/g, '-');
  const [, space = '0'] = /\[(\d+)\]/.exec(linkAt('/proc/self/ns/pid')) ?? [];
  const boot = textAt('/proc/sys/kernel/random/boot_id').replaceAll('-', '').slice(0, 8);
  const start = statIn(textAt('/proc/self/stat'))?.start ?? '0';
  const { pid } = process;
  own = {
    name: [pid, start, space, boot, host].join('_'),
    process: { pid, start, space, boot, host },
  };
  return own;
}

function parsed(name: string): NamedProcess | null {
  const [, pid, start, space, boot, host] = NAME.exec(name) ?? [];
  return pid === undefined ? null : { pid: Number(pid), start, space, boot, host };
}

/**
 * When a process started, `null` if it has ended and its parent has not noticed yet; undefined if
 * that cannot be seen: other users' processes may be hidden, and `/proc` be another namespace's.
 */
function startOf(pid: number): string | null | undefined {
  if (linkAt('/proc/self') !== String(process.pid)) return undefined;
  const stat = statIn(textAt(`/proc/${pid}/stat`));
  return stat && (stat.hasEnded ? null : stat.start);
}

/** The state and start in the text of a process's `stat`, whose name may contain anything. */
function statIn(text: string) {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return start === undefined ? undefined : { start, hasEnded: state === 'Z' || state === 'X' };
}

/** Whether there is a process with this id, of any user. */
function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

function textAt(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

function linkAt(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
