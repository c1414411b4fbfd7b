import { SLOW_WALK_KMH, byMode as wordsOf } from '../../../../shards/modes.ts';
import { distanceUnit } from '../../formats.ts';
import { storedUnits } from '../../parts/units.tsx';

/** The speed of slow walks in the units of this browser: `2 mph`. */
export function slowWalk(): string {
  const units = storedUnits();
  const speed = (SLOW_WALK_KMH * 1000) / distanceUnit(units).metres;
  return `${Math.round(speed * 10) / 10} ${units === 'us' ? 'mph' : 'km/h'}`;
}

/** `byMode` in the units of this browser: `by bike`, `on foot at 2 mph`. */
export function byMode(service: string): string {
  return wordsOf(service).replace(`${SLOW_WALK_KMH} km/h`, slowWalk());
}
