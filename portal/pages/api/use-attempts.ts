import { useEffect, useRef, useState } from 'preact/hooks';

/** Pauses before attempts of the page itself, ms; the last one is repeated. */
const PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000, 60_000];

function pauseMs(failed: number): number {
  return PAUSES_MS[Math.min(failed, PAUSES_MS.length - 1)];
}

/**
 * A number that increases, after ever longer pauses, while something has failed, so that an outage
 * ends by itself. Its users try again whenever it changes.
 */
export function useAttempts(hasFailed: boolean): number {
  const [attempt, setAttempt] = useState(0);
  const failed = useRef(0);
  useEffect(() => {
    if (!hasFailed) {
      failed.current = 0;
      return;
    }
    const timer = setTimeout(() => setAttempt((last) => last + 1), pauseMs(failed.current++));
    return () => clearTimeout(timer);
  }, [hasFailed, attempt]);
  return attempt;
}
