import { SLOW_WALK_KMH, byMode as wordsOf } from '../../../../shards/modes.ts';
import { distanceUnit } from '../../formats.ts';
import { storedUnits } from '../../parts/units.tsx';
import { nearestOf } from './type-nouns.ts';

/** The name of each mode, and of its times. */
const MODES: Readonly<Record<string, readonly [mode: string, times?: string]>> = {
  walk: ['Walk', 'Walking time'],
  bike: ['Bike', 'Biking time'],
  transit: ['Transit', 'Transit time'],
  walk_slow: ['Slow walk'],
  step_free: ['Step-free walk', 'Step-free walking time'],
  transit_step_free: ['Step-free transit', 'Step-free transit time'],
};

export function modeName(mode: string): string {
  return MODES[mode]?.[0] ?? mode;
}

/** The speed of slow walks in the units of this browser: `2 mph`. */
function slowWalk(): string {
  const units = storedUnits();
  const speed = (SLOW_WALK_KMH * 1000) / distanceUnit(units).metres;
  return `${Math.round(speed * 10) / 10} ${units === 'us' ? 'mph' : 'km/h'}`;
}

/** `byMode` in the units of this browser: `by bike`, `on foot at 2 mph`. */
export function byMode(service: string): string {
  return wordsOf(service).replace(`${SLOW_WALK_KMH} km/h`, slowWalk());
}

/** `Walking time to the nearest grocery store`. */
export function mapTitle(mode: string, typeName: string): string {
  const time = mode === 'walk_slow' ? `Walking time at ${slowWalk()}` : MODES[mode]?.[1];
  return `${time ?? `Time ${byMode(mode)}`} to ${nearestOf(typeName)}`;
}
