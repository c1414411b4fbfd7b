import { type Grade, HILLS, ROUTING } from '../routing-parameters.ts';

const LEVEL_KMH = ROUTING.bikeMetresPerSecond * 3.6;

/** The time to travel a metre as a multiple of that on level ground, by grade. */
export type Slowdown = (grade: Grade) => number;

/** Walking: Tobler's hiking function, normalised to the speed on level ground. */
export const walkingSlowdown: Slowdown = (grade) => {
  const { decay, fastestAt } = HILLS.tobler;
  return Math.exp(decay * (Math.abs(grade - fastestAt) - Math.abs(fastestAt)));
};

/** Riding, by the table; on grades beyond it the bike is pushed. */
export const ridingSlowdown: Slowdown = (grade) => {
  const speeds = HILLS.rideSpeeds;
  const next = speeds.findIndex(([at]) => grade <= at);
  if (next === -1) {
    return walkingSlowdown(grade) * (ROUTING.bikeMetresPerSecond / ROUTING.walkMetresPerSecond);
  }
  const [to, speedTo] = speeds[next];
  const [from, speedFrom] = speeds[Math.max(0, next - 1)];
  const part = to === from ? 0 : (grade - from) / (to - from);
  return LEVEL_KMH / (speedFrom + part * (speedTo - speedFrom));
};
