import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into a server before it starts: how long its event loop was held. SIGWINCH, which servers
 * have no other use for, begins anew; at its end it writes the longest time, and the longest of all
 * but one in a thousand, in ms.
 */
const RESOLUTION_MS = 1;
const NS_PER_MS = 1e6;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on('SIGWINCH', () => delay.reset());
process.once('exit', () => {
  // The histogram is of the time between two looks, which is no less than its resolution.
  const heldMs = (ns: number) => Math.max(0, ns / NS_PER_MS - RESOLUTION_MS);
  const held = { max: heldMs(delay.max), p999: heldMs(delay.percentile(99.9)) };
  writeFileSync(process.env.LOOP_DELAY_FILE!, JSON.stringify(held));
});
