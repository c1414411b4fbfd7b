import module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

// Imports nothing of the service, which takes half a second to load: signals that arrive meanwhile
// are heeded.

/** Signals that ask a program to end. */
export const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Time between two looks whether the parent has ended. */
const LOOK_MS = 500;

/** Exit code that shells show for a process that a signal ended. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * Lets a signal end this process where the system would not: as PID 1 of a container. Handlers that
 * are set later take precedence.
 */
export function endBySignals(): void {
  if (process.pid !== 1) return;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(exitCodeOf(signal));
    });
  }
}

const PARENT = process.ppid;

/**
 * Ends this process, unless it is ending, when the shell by which npm runs it has ended: npm passes
 * signals to the shell, which ends and does not pass them on.
 */
export function endWithNpm(isEnding: () => boolean): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(timer);
    if (!isEnding()) process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}

/**
 * Folder of compiled modules, within the installation. In a folder that other users can write to,
 * they could replace the code.
 */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/tta', import.meta.url));

/**
 * Keeps compiled modules for the next start of this program and of its threads, which inherit the
 * variable. Node supports this from 22.8 on. With an older version, or if the folder cannot be
 * written, each start compiles them.
 */
export function keepCompiledModules(): void {
  process.env.NODE_COMPILE_CACHE ??= FOLDER;
  const node: typeof module & { enableCompileCache?: () => unknown } = module;
  node.enableCompileCache?.();
}
