import type { Millis } from '../shards/units.ts';
import { describe } from './errors.ts';
import { exitCodeOf, SIGNALS } from './program-start.ts';

const KILLED = exitCodeOf('SIGKILL');
/**
 * Time allowed for cutting off work in progress after a second signal, so that refunds can be made
 * on a slow disk.
 */
const CUT_OFF_WITHIN_MS: Millis = 5_000;

interface EndOptions {
  /** Stops the process's work in order. Called once. */
  readonly close: () => Promise<unknown>;
  /** Time allowed for `close`. */
  readonly withinMs: Millis;
  /** Breaks off the work in progress, and undoes what must not stay half done. Called once. */
  readonly cutOff?: () => Promise<unknown>;
  /**
   * Whether a signal leaves work undone, so that the exit code is that of the signal, as shells
   * show it.
   */
  readonly failsBySignal?: boolean;
}

/**
 * Shuts a process down in order: at the first SIGTERM, SIGINT or SIGHUP, with exit code 0 (see
 * `failsBySignal`), or at an uncaught error, with 1. At a second signal the work in progress is cut
 * off; then, even if `close` ends first, or at a third, or if `close` fails or takes too long, the
 * process is killed as by `kill -9` (137), without waiting for anything such as database threads.
 */
export function shutDownOnSignals({
  close,
  withinMs,
  cutOff = async () => {},
  failsBySignal = false,
}: EndOptions) {
  let isCutOff = false;
  let causes = 0;
  let late: NodeJS.Timeout | undefined;

  const killed = () => {
    process.kill(process.pid, 'SIGKILL');
    // PID 1 of a container cannot be killed from inside.
    process.exit(KILLED);
  };
  const failed = (words: string) => {
    process.stderr.write(`${words}\n`);
    killed();
  };
  const begin = (exitCode: number) => {
    const words = `shutdown did not finish within ${withinMs / 1000} s`;
    late = setTimeout(() => failed(words), withinMs);
    close().then(
      () => isCutOff || process.exit(exitCode),
      (error) => isCutOff || failed(describe(error)),
    );
  };
  const cutShort = () => {
    isCutOff = true;
    clearTimeout(late);
    setTimeout(killed, CUT_OFF_WITHIN_MS);
    cutOff().then(killed, (error) => failed(describe(error)));
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (++causes === 1) begin(failsBySignal ? exitCodeOf(signal) : 0);
    else if (causes === 2) cutShort();
    else killed();
  };
  const onError = (error: unknown) => {
    if (++causes > 1) failed(describe(error));
    process.stderr.write(`${describe(error)}\n`);
    begin(1);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on('uncaughtException', onError);
  return {
    /** Whether the shutdown has begun. */
    hasBegun: () => causes > 0,
    /** Restores Node's default handling of signals and errors. */
    cancel: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
      process.off('uncaughtException', onError);
    },
  };
}
