import type { Progress } from '../../builder/progress.ts';
import type { OpenExecutor } from '../../builder/tasks/executor.ts';
import type { WritableStore } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { shutDownOnSignals } from '../shutdown-signals.ts';

/** Time to take jobs off a queue. */
const ENDS_WITHIN_MS: Millis = 10_000;

/**
 * Returns a function that opens the executor of a command, if the address of a queue for other
 * machines is given. A signal ends the command after taking off the queue what no worker has begun.
 */
export function executorOf(
  queue: string | undefined,
  store: WritableStore,
  progress: Progress,
): OpenExecutor | undefined {
  if (queue === undefined) return undefined;
  return async () => {
    const { openQueueExecutor } = await import('../build-queue/queue-executor.ts');
    const executor = await openQueueExecutor(queue, store, progress);
    const close = () => executor.close();
    const ending = shutDownOnSignals({ close, withinMs: ENDS_WITHIN_MS, failsBySignal: true });
    return {
      run: executor.run,
      close() {
        ending.cancel();
        return executor.close();
      },
    };
  };
}
