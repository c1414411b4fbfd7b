/** Names of the departure windows that releases hold transit times for. */
export const DEPARTURE_WINDOWS = ['am'] as const;

/** Percentiles of the door-to-door times of a window that releases hold. */
export const PERCENTILES = [10] as const;
