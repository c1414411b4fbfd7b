import { type Grade, HILLS, ROUTING, type Routing } from '../routing-parameters.ts';

const LEVEL_KMH = ROUTING.bikeMetresPerSecond * 3.6;

/** Returns the time to travel a metre at a grade, as a multiple of the time on level ground. */
export type Slowdown = (grade: Grade) => number;

/** Slowdown of walkers: Tobler's hiking function, normalised to the speed on level ground. */
export const walkingSlowdown: Slowdown = (grade) => {
  const { decay, fastestAt } = HILLS.tobler;
  return Math.exp(decay * (Math.abs(grade - fastestAt) - Math.abs(fastestAt)));
};

/**
 * Returns the slowdown of riders, by the table of speeds; on climbs beyond the table the bike is
 * pushed.
 */
export function ridingSlowdown({ bikeMetresPerSecond, walkMetresPerSecond }: Routing): Slowdown {
  return (grade) => {
    const speeds = HILLS.rideSpeeds;
    const next = speeds.findIndex(([at]) => grade <= at);
    if (next === -1) return walkingSlowdown(grade) * (bikeMetresPerSecond / walkMetresPerSecond);
    const [to, speedTo] = speeds[next];
    const [from, speedFrom] = speeds[Math.max(0, next - 1)];
    const part = to === from ? 0 : (grade - from) / (to - from);
    return LEVEL_KMH / (speedFrom + part * (speedTo - speedFrom));
  };
}
