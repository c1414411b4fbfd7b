import { z } from 'zod';
import { FEED_LIMITS } from '../../builder/gtfs/limits.ts';
import type { ServiceSeconds } from '../../builder/gtfs/service-time.ts';
import { parseServiceTime } from '../../builder/gtfs/values.ts';
import type { Seconds } from '../../shards/units.ts';

/**
 * Values of a scenario as planners write them, each with its unit. All scalars arrive as the text
 * that stands in the file.
 */

export const text = z.string('must be a text').min(1, 'is empty');

/** A value read from text by `read`, which returns null for text that is none. */
function readBy<T>(read: (text: string) => T | null, problem: string) {
  return text.transform((value, context): T => {
    const result = read(value);
    if (result !== null) return result;
    context.issues.push({ code: 'custom', message: `${problem}, not "${value}"`, input: value });
    return z.NEVER;
  });
}

/** A time of the service day: `06:30`, or `25:10` for ten past one in the following night. */
export const time = readBy<ServiceSeconds>((value) => {
  const seconds = parseServiceTime(value);
  return seconds === null || Number.isNaN(seconds) ? null : seconds;
}, 'must be a time such as 06:30, or 25:10 in the following night');

const SECONDS_OF: ReadonlyMap<string | undefined, Seconds> = new Map([
  ['s', 1],
  ['sec', 1],
  ['second', 1],
  ['min', 60],
  ['minute', 60],
  ['h', 3600],
  ['hour', 3600],
]);
const DURATION = /^([+-]?)(\d+(?:\.\d+)?) ?([a-z]+?)s?$/;

function secondsOf(value: string): Seconds | null {
  const [, sign, amount, unit] = DURATION.exec(value) ?? [];
  const seconds = SECONDS_OF.get(unit === '' ? 's' : unit);
  if (seconds === undefined) return null;
  return Math.round((sign === '-' ? -1 : 1) * Number(amount) * seconds);
}

/** A duration with its unit: `10 min`, `90 s`, `1 h`. */
export const duration = readBy((value) => {
  const seconds = secondsOf(value);
  return seconds !== null && seconds >= 0 && seconds <= FEED_LIMITS.serviceTime ? seconds : null;
}, 'must be a duration with its unit, such as 10 min or 90 s');

/** A time between departures, not shorter than the builder accepts. */
export const headway = readBy((value) => {
  const seconds = secondsOf(value);
  const isPossible =
    seconds !== null && seconds >= FEED_LIMITS.minHeadway && seconds <= FEED_LIMITS.serviceTime;
  return isPossible ? seconds : null;
}, 'must be the time from one departure to the next with its unit, such as 10 min or 90 s');

const METRES_PER_SECOND: Readonly<Record<string, number>> = {
  'km/h': 1000 / 3600,
  mph: 1609.344 / 3600,
  'm/s': 1,
};
/** Faster than any train, in metres per second. */
const MAX_SPEED = 200;

/** A speed in metres per second: `20 km/h`, `12 mph`, `5 m/s`. */
export const speed = readBy((value) => {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(km\/h|mph|m\/s)$/.exec(value) ?? [];
  if (unit === undefined) return null;
  const metresPerSecond = Number(amount) * METRES_PER_SECOND[unit];
  return metresPerSecond > 0 && metresPerSecond <= MAX_SPEED ? metresPerSecond : null;
}, 'must be a speed with its unit, such as 20 km/h or 12 mph');

function shareOf(value: string): number | null {
  const [, amount] = /^([+-]\d+(?:\.\d+)?) ?%$/.exec(value) ?? [];
  return amount === undefined ? null : Number(amount) / 100;
}

/** The factor of a change in percent with its sign: 1.2 for `+20 %`. */
export const factor = readBy((value) => {
  const share = shareOf(value);
  return share !== null && share > -1 && share <= 9 ? 1 + share : null;
}, 'must be a change in percent with its sign, such as +20 %');

/** A change of a time: by a factor, or by seconds. */
export const timeChange = readBy((value): { factor: number } | { seconds: Seconds } | null => {
  const share = shareOf(value);
  if (share !== null) return share > -1 && share <= 9 ? { factor: 1 + share } : null;
  const seconds = /^[+-]/.test(value) ? secondsOf(value) : null;
  return seconds === null ? null : { seconds };
}, 'must be a change with its sign, such as -10 % or +2 min');

/** A coordinate in degrees, kept as it is written. */
function degrees(limit: number) {
  return readBy(
    (value) =>
      /^[+-]?\d+(\.\d+)?$/.test(value) && Math.abs(Number(value)) <= limit ? value : null,
    `must be decimal degrees from -${limit} to ${limit}`,
  );
}
export const lat = degrees(90);
export const lon = degrees(180);

/** GTFS `wheelchair_boarding` and `wheelchair_accessible`. */
export const wheelchair = z
  .enum(['yes', 'no', 'unknown'], 'must be yes, no or unknown')
  .transform((value) => ({ unknown: '0', yes: '1', no: '2' })[value]);

const ROUTE_TYPES: ReadonlyMap<string, string> = new Map([
  ['tram', '0'],
  ['subway', '1'],
  ['rail', '2'],
  ['bus', '3'],
  ['ferry', '4'],
  ['cable tram', '5'],
  ['aerial lift', '6'],
  ['funicular', '7'],
  ['trolleybus', '11'],
  ['monorail', '12'],
]);

/** GTFS `route_type`, by name or number. */
export const routeType = readBy(
  (value) => ROUTE_TYPES.get(value) ?? (/^\d{1,4}$/.test(value) ? value : null),
  `must be one of ${[...ROUTE_TYPES.keys()].join(', ')}, or a number of GTFS`,
);

/** One text, or a list of some. */
export const oneOrMore = z.union(
  [text.transform((one) => [one]), z.array(text).nonempty('is empty')],
  {
    error: 'must be a text, or a list of some',
  },
);
