import { MINUTES } from '../../../shards/matrix/row-codec.ts';
import type { Minutes } from '../../../shards/units.ts';

/** How much an opportunity counts, by the minutes to reach it: from 1 at the door down to 0. */
export type Decay = (minutes: Minutes) => number;

/** A number of minutes in a decay. */
const NUMBER = String.raw`(\d{1,20}(?:\.\d{0,40})?(?:[eE][+-]?\d{1,3})?)`;
export const DECAY_PATTERN = `^(?:step|linear:${NUMBER}|exponential:${NUMBER}|logistic:${NUMBER}:${NUMBER})$`;
const DECAY = new RegExp(DECAY_PATTERN);

/**
 * Parses an impedance function of gravity-based accessibility (Hansen, 1959; Kwan, 1998, for the
 * linear and the negative exponential function). The logistic function is the survival function of
 * the logistic distribution with the given mean and standard deviation. Null for `step`, which is a
 * limit in minutes; undefined for other text, and for parameters out of range.
 */
export function decayOf(text: string): Decay | null | undefined {
  const found = DECAY.exec(text);
  if (!found) return undefined;
  const [, linear, halfLife, centre, deviation] = found.map(Number);
  if (text === 'step') return null;
  if (text.startsWith('linear')) {
    return isTime(linear) ? (minutes) => Math.max(0, 1 - minutes / linear) : undefined;
  }
  if (text.startsWith('exponential')) {
    return isTime(halfLife) ? (minutes) => 2 ** (-minutes / halfLife) : undefined;
  }
  if (!isTime(centre) || !isTime(deviation)) return undefined;
  const scale = (deviation * Math.sqrt(3)) / Math.PI;
  return (minutes) => 1 / (1 + Math.exp((minutes - centre) / scale));
}

function isTime(minutes: number): boolean {
  return minutes > 0 && minutes <= MINUTES.most;
}
