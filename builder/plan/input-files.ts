import type { InputPaths } from '../build-request.ts';
import type { DatedFeeds } from '../transit/date-feeds.ts';
import type { PlannedInput } from './planned-input.ts';
import type { ReleasePlan } from './release-plan.ts';

/** Where on this machine the inputs of a plan lie. */
export type PathOf = (input: PlannedInput) => string;

/** What units read of a plan's inputs, as paths of this machine. Its blocks are in the store. */
export function pathsOf(
  { inputs }: ReleasePlan,
  pathOf: PathOf,
): Omit<Required<InputPaths>, 'blocks'> {
  return {
    osm: inputs.osm.map(pathOf),
    gtfs: inputs.gtfs.map(pathOf),
    places: inputs.places.map(pathOf),
    pois: inputs.pois.map(pathOf),
    elevation: inputs.elevation.map(pathOf),
  };
}

/** The feeds of a plan, each with its day; null without. */
export function datedFeeds(plan: ReleasePlan, pathOf: PathOf): DatedFeeds | null {
  if (plan.service_date === null) return null;
  return {
    common: serviceDate(plan.service_date),
    feeds: plan.inputs.gtfs.map((feed) => ({
      path: pathOf(feed),
      sha256: feed.sha256,
      day: feed.service_date && serviceDate(feed.service_date),
      patterns: feed.weekday_patterns,
    })),
  };
}

/** `YYYY-MM-DD` as GTFS has it. */
export function serviceDate(iso: string): string {
  return iso.replaceAll('-', '');
}
