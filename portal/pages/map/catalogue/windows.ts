import { isTransit } from '../../../../shards/modes.ts';
import { clockTime, type Timing, transitService } from '../../../../shards/services.ts';
import type { Client } from '../../../client/src/index.ts';

/** A window of departures by transit that maps of a release can show. */
export interface TransitWindow {
  readonly name: string;
  /** `Saturday 11:00–12:00`. */
  readonly label: string;
  /** Ascending. */
  readonly percentiles: readonly number[];
}

/** The name of the times of a mode, in the public objects of a release. */
export function serviceOf(mode: string, timing: Timing): string {
  return isTransit(mode) ? transitService(mode, timing) : mode;
}

/** The members by which a request names its times; none for those of a request that names none. */
export function timingOf(modes: readonly string[], timing: Timing): Partial<Timing> {
  const isNamed = modes.some((mode) => serviceOf(mode, timing) !== mode);
  return isNamed ? timing : {};
}

/** The windows as the API describes them, each with those of its percentiles that are mapped. */
export async function mappedWindows(
  api: Client,
  isMapped: (timing: Timing) => boolean,
): Promise<readonly TransitWindow[]> {
  const { assumptions } = (await api.getIsochroneMeta()).data;
  return (assumptions.windows ?? []).flatMap(({ name, opens, departures, day, percentiles }) => {
    const held = percentiles.filter((percentile) => isMapped({ departure: name, percentile }));
    const label = `${day[0].toUpperCase()}${day.slice(1)} ${hours(opens, departures)}`;
    return held.length === 0 ? [] : [{ name, label, percentiles: held }];
  });
}

/** A window that opens at `HH:MM` and has a departure each minute: `11:00–12:00`. */
function hours(opens: string, departures: number): string {
  const [hour, minute] = opens.split(':').map(Number);
  const ends = clockTime(60 * hour + minute + departures);
  return [opens, ends].map((time) => time.replace(/^0/, '')).join('–');
}

/** `fast departure (10th percentile)`, `typical departure (median)`. */
export function speedWords(percentile: number): string {
  if (percentile === 50) return 'typical departure (median)';
  const speed = percentile <= 25 ? 'fast' : percentile < 75 ? 'typical' : 'slow';
  return `${speed} departure (${ordinal(percentile)} percentile)`;
}

function ordinal(number: number): string {
  const isTeen = Math.floor(number / 10) === 1;
  return `${number}${(isTeen ? undefined : ['', 'st', 'nd', 'rd'][number % 10]) || 'th'}`;
}

/**
 * The window and the percentile that are chosen, `Saturday 11:00–12:00, typical departure
 * (median)`; null for a release without a choice.
 */
export function timingWords(windows: readonly TransitWindow[], timing: Timing): string | null {
  const window = windows.find(({ name }) => name === timing.departure);
  return window ? `${window.label}, ${speedWords(timing.percentile)}` : null;
}
