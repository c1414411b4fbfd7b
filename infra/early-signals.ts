import { constants } from 'node:os';

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

/** The parent at the start of this process. */
const PARENT = process.ppid;

/**
 * Calls `end` when npm, which runs this process by a shell, has been told to stop: npm passes
 * signals to the shell, which ends and passes none on.
 */
export function whenShellOfNpmEnds(end: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  timer.unref();
}
