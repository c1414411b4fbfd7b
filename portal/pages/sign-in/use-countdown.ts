import { useEffect, useState } from 'preact/hooks';

/** Whole seconds until something may be done again. */
export function useCountdown(first: number): {
  readonly seconds: number;
  begin(seconds: number): void;
} {
  const [endsAt, setEndsAt] = useState(() => performance.now() + first * 1000);
  const [seconds, setSeconds] = useState(first);
  useEffect(() => {
    const tick = () => setSeconds(Math.max(0, Math.ceil((endsAt - performance.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [endsAt]);
  return { seconds, begin: (wait) => setEndsAt(performance.now() + wait * 1000) };
}
