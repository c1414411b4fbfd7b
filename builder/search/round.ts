import type { Millis, Minutes, Tenths } from '../../shards/units.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';

/**
 * Milliseconds, at most the cap, as a row keeps them: rounded once, to tenths of a minute, at least
 * 1.0.
 */
export function toTenths(time: Millis): Tenths {
  return Math.max(ROUTING.minMinutes * 10, Math.round((time * 10) / MILLIS_PER_MINUTE));
}

/** Milliseconds as reach keeps them: whole minutes, rounded up, at least 1. */
export function toMinutes(time: Millis): Minutes {
  return Math.max(ROUTING.minMinutes, Math.ceil(time / MILLIS_PER_MINUTE));
}
