import { z } from 'zod';
import { feedSchema, type ReleaseWindow } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import { BASE_WINDOW, clockTime, WINDOW_DAYS } from '../../shards/services.ts';
import { wordsOf } from '../fields/served-words.ts';
import { FILL_HOLES_BELOW } from './contour.ts';

const words = z.string().optional();
const whole = z.int().optional();
const perHour = z.number().optional();
const FEED = { file: true, feed_id: true, agency: true, service_date: true } as const;

/**
 * Members about transit are present if the release has transit, `direction_to` if it has that
 * direction.
 */
export const assumptionsSchema = z
  .looseObject({
    max_trip_duration_min: whole,
    max_reach_min: whole,
    walk_speed_kmh: perHour,
    bike_speed_kmh: perHour,
    bike_max_traffic_stress: whole,
    bike_beyond_traffic_stress: words,
    bike_tracks: words,
    bike_sidepath: words,
    walk_sidepath: words,
    bike_barriers: words,
    link_radius_m: whole,
    link_radius_fallback_m: whole,
    link_to: words,
    min_island_vertices: whole,
    origin: words,
    rounding: words,
    direction_to: words,
    departures: z.array(z.string()).optional(),
    percentiles: z.array(z.int()).optional(),
    windows: z
      .array(
        z.object({
          name: z.string(),
          opens: z.string(),
          departures: z.int(),
          day: z.enum(WINDOW_DAYS),
          percentiles: z.array(z.int()),
          service_date: z.iso.date(),
        }),
      )
      .optional(),
    transit_departure: words,
    transit_service_day: words,
    transit_window: words,
    transit_window_min: whole,
    transit_percentile: whole,
    transit_percentile_formula: words,
    transit_on_request: words,
    transit_board_slack_s: whole,
    transit_max_walk_leg_min: whole,
    transit_max_transfer_walk_m: whole,
    transit_staying_seated: words,
    transit_frequent: words,
    transit_stations: words,
    transit_subway_default_s: whole,
    transit_direct_walk: words,
    feeds: z.array(feedSchema.pick(FEED)).optional(),
    rules_of_r5: z.record(z.string(), z.string()).optional(),
    fill_holes_below_m2: whole,
  })
  .meta({ id: 'Assumptions' });

/**
 * Assumptions behind the times of an isochrone, of the window and the percentile that the release
 * is read for. The windows of departures are described where there are several.
 */
export function assumptionsOf(release: Release) {
  const { manifest, windows } = release;
  const { departures, percentiles } = wordsOf(release);
  return {
    ...manifest.assumptions,
    ...timed(release),
    ...(windows.length > 0 && { departures, percentiles }),
    ...(manifest.windows && { windows: manifest.windows.map(described) }),
    fill_holes_below_m2: FILL_HOLES_BELOW,
  };
}

/** The members that differ from those of the base window and percentile. */
function timed({ manifest, timing }: Release) {
  const window = manifest.windows?.find(({ name }) => name === timing.departure);
  if (!window) return {};
  const transit_percentile = timing.percentile;
  if (window.name === BASE_WINDOW.name) return { transit_percentile };
  const { opens, departures, day, service_date } = window;
  const ids = new Map(manifest.feeds.map((feed) => [feed.sha256, feed.feed_id]));
  const last = clockTime(opens + departures - 1);
  return {
    transit_departure: `${service_date}T${clockTime(opens)}:00`,
    // That of the release describes how a weekday is chosen.
    ...(day !== 'weekday' && { transit_service_day: undefined }),
    transit_window: `trips that begin at each whole minute from ${clockTime(opens)} to ${last}, by the clock there`,
    transit_window_min: departures,
    transit_percentile,
    feeds: window.feeds.map(({ file, sha256, agency, service_date }) => {
      return { file, feed_id: ids.get(sha256) ?? null, agency, service_date };
    }),
  };
}

function described({ feeds: _, opens, ...window }: ReleaseWindow) {
  return { ...window, opens: clockTime(opens) };
}
