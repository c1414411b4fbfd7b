import { isMode, isTransit, type Mode, type TransitMode } from './modes.ts';

/** Days whose timetables a window of departures may be of. */
export const WINDOW_DAYS = ['weekday', 'saturday', 'sunday'] as const;
export type WindowDay = (typeof WINDOW_DAYS)[number];

/** Departures at each whole minute of a part of the day, by the clock at the origin. */
export interface DepartureWindow {
  readonly name: string;
  /** Minutes of the local day at which it opens. */
  readonly opens: number;
  readonly departures: number;
  readonly day: WindowDay;
}

/** The window, and the percentile, of requests that name none. All transit has it. */
export const BASE_WINDOW = {
  name: 'am',
  opens: 8 * 60,
  departures: 60,
  day: 'weekday',
} as const satisfies DepartureWindow;
export const BASE_PERCENTILE = 10;

/** A window of departures by its name, and a percentile of its times. */
export interface Timing {
  readonly departure: string;
  readonly percentile: number;
}

export const BASE_TIMING: Timing = { departure: BASE_WINDOW.name, percentile: BASE_PERCENTILE };

export type ChosenTiming = { readonly [Name in keyof Timing]?: Timing[Name] | undefined };

/** The timing of a choice, which is the base one where it chooses nothing. */
export function timingOf({
  departure = BASE_TIMING.departure,
  percentile = BASE_TIMING.percentile,
}: ChosenTiming): Timing {
  return { departure, percentile };
}

export function isBaseTiming({ departure, percentile }: Timing): boolean {
  return departure === BASE_TIMING.departure && percentile === BASE_TIMING.percentile;
}

export const WINDOW_NAME = /^[a-z][a-z0-9_]{0,23}$/;

/**
 * A kind of times that a release holds: of a mode and, by transit, of a window of departures and a
 * percentile of its door-to-door times. The manifest lists the services of a release by name, in
 * the order in which all its objects store them: `walk`, `transit`, `transit.midday`,
 * `transit.am.50`.
 */
export interface Service {
  readonly name: string;
  readonly mode: Mode;
  /** Null for modes without a timetable, like `percentile`. */
  readonly departure: string | null;
  readonly percentile: number | null;
}

export function transitService(mode: TransitMode, { departure, percentile }: Timing): string {
  if (percentile !== BASE_PERCENTILE) return `${mode}.${departure}.${percentile}`;
  return departure === BASE_WINDOW.name ? mode : `${mode}.${departure}`;
}

export function parseService(name: string): Service | undefined {
  const [mode, departure, percentile, ...rest] = name.split('.');
  if (!isMode(mode) || rest.length > 0) return undefined;
  if (!isTransit(mode)) {
    return departure === undefined ? { name, mode, departure: null, percentile: null } : undefined;
  }
  const service = {
    name,
    mode,
    departure: departure ?? BASE_WINDOW.name,
    percentile: percentile === undefined ? BASE_PERCENTILE : Number(percentile),
  };
  const isSpelled =
    WINDOW_NAME.test(service.departure) &&
    isPercentile(service.percentile) &&
    name === transitService(mode, service);
  return isSpelled ? service : undefined;
}

/** The percentiles of a window of departures among some services by transit, in their order. */
export function percentilesOf(services: readonly string[], departure: string): number[] {
  return services.flatMap((name) => {
    const service = parseService(name);
    const isOwn = service?.mode === 'transit' && service.departure === departure;
    return isOwn ? [service.percentile!] : [];
  });
}

/**
 * Returns, for each service, the position of the one before it that its times differ little from,
 * or -1. Transit at other times, or without steps, differs little from the first; empty if no
 * service has such a base.
 */
export function basesOf(services: readonly string[]): number[] {
  const byTransit = services.map((name) => isTransit(parseService(name)!.mode));
  const base = byTransit.indexOf(true);
  const bases = byTransit.map((isTransit, position) => (isTransit && position > base ? base : -1));
  return bases.some((one) => one !== -1) ? bases : [];
}

export function isPercentile(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 99;
}

export function modeOfService(name: string): Mode {
  return parseService(name)!.mode;
}

/** A time of day as `HH:MM`. */
export function clockTime(minutes: number): string {
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}
