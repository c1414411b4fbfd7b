import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Measures, when preloaded into a server, how long its event loop is held. SIGWINCH, otherwise
 * unused by servers, resets the measurement. At exit, the maximum and the 99.9th percentile are
 * written, in milliseconds.
 */
const RESOLUTION_MS = 1;
const NS_PER_MS = 1e6;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on('SIGWINCH', () => delay.reset());
process.once('exit', () => {
  // The histogram records the time between two samples, which is at least its resolution.
  const heldMs = (ns: number) => Math.max(0, ns / NS_PER_MS - RESOLUTION_MS);
  const held = { max: heldMs(delay.max), p999: heldMs(delay.percentile(99.9)) };
  writeFileSync(process.env.LOOP_DELAY_FILE!, JSON.stringify(held));
});
