import type { Millis } from '../shards/units.ts';
import { describe } from './errors.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** The exit code of what was killed by SIGKILL, as shells show it. */
const KILLED = 137;

interface EndOptions {
  /** Ends what the process does, in order. Called once. */
  readonly close: () => Promise<unknown>;
  /** How long that may take. */
  readonly withinMs: () => Millis;
  /** Called before the process ends at once. */
  readonly atOnce?: () => void;
}

/**
 * Has a process end in order: at the first SIGTERM, SIGINT or SIGHUP, and then with exit code 0, or at
 * an uncaught error, with 1. At the second, and where `close` fails or takes too long, the process ends
 * at once, as by `kill -9` (137): it waits for nothing, such as the threads of a database.
 */
export function shutDownOnSignals({ close, withinMs, atOnce }: EndOptions) {
  let hasBegun = false;
  let causes = 0;

  const killed = () => {
    atOnce?.();
    process.kill(process.pid, 'SIGKILL');
    // The first process of a container cannot be killed from inside.
    process.exit(KILLED);
  };
  const failed = (words: string) => {
    process.stderr.write(`${words}\n`);
    killed();
  };
  const begin = (exitCode = 0) => {
    if (hasBegun) return;
    hasBegun = true;
    const ms = withinMs();
    setTimeout(() => failed(`has not ended within ${ms / 1000} s`), ms);
    close().then(
      () => process.exit(exitCode),
      (error) => failed(describe(error)),
    );
  };
  const onSignal = () => {
    if (++causes > 1) killed();
    begin();
  };
  const onError = (error: unknown) => {
    if (++causes > 1) failed(describe(error));
    process.stderr.write(`${describe(error)}\n`);
    begin(1);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on('uncaughtException', onError);
  return {
    /** Begins to end, as a first signal does; the next signal is the first all the same. */
    begin: () => begin(),
    /** Leaves signals and errors to Node. */
    cancel: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
      process.off('uncaughtException', onError);
    },
  };
}
