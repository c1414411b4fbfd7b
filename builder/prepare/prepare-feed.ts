import { latOf, lonOf } from '../../shards/geometry/web-mercator.ts';
import { counted, withCommas } from '../../shards/number-words.ts';
import type { LeftOutFeed } from '../../shards/release/manifest.ts';
import { BaseMapCellWriter } from '../base-map/base-map-cell.ts';
import type { MapShapes } from '../base-map/map-shapes.ts';
import { BuildError } from '../errors.ts';
import { COARSE_CELLS } from '../geo/cell-set.ts';
import { WORLD_BITS } from '../geo/web-mercator.ts';
import { type Feed, readFeed } from '../gtfs/feed.ts';
import { FeedReport } from '../gtfs/feed-report.ts';
import { FEED_LIMITS } from '../gtfs/limits.ts';
import { Shapes } from '../gtfs/shapes.ts';
import type { TripRun } from '../gtfs/trips.ts';
import { putObject } from '../publish/put-object.ts';
import { unreadableFeed } from '../transit/accept-feeds.ts';
import { type FeedDay, readFeedDay } from '../transit/feed-day.ts';
import { routeLines } from '../transit/route-lines.ts';
import { encodeFeedDay, type PreparedFeed } from './feeds.ts';
import type { FeedJobSpec, PreparationJobContext } from './preparation.ts';

/** Reads a feed for its day, and puts its service into the store; an unusable feed is left out. */
export async function prepareFeed(
  path: string,
  spec: FeedJobSpec,
  context: PreparationJobContext,
): Promise<PreparedFeed | LeftOutFeed> {
  try {
    return await readService(path, spec, context);
  } catch (error) {
    return unreadableFeed(path, spec.sha256, error);
  }
}

async function readService(
  path: string,
  { clock, wheelchair_unknown, ...dated }: FeedJobSpec,
  { store, note }: PreparationJobContext,
): Promise<PreparedFeed> {
  const feed = await readFeed(path);
  try {
    const of = { ...dated, path };
    const day = await readFeedDay(feed, of, clock, wheelchair_unknown);
    const { feedDay, stepFreeDay, facts, runs } = day;
    feed.report.noteProblems(note);
    const { trips_by_phone, trips_in_window } = facts;
    if (trips_by_phone > 0) {
      note(
        `${withCommas(trips_by_phone)} of ${counted(trips_in_window, 'trip')} must be booked by phone at some calls; they count as scheduled`,
      );
    }
    const put = (day: FeedDay) => putObject(store, 'prepared/feed', 'json', encodeFeedDay(day));
    return {
      facts,
      trips: feed.tripCount,
      cells: cellsOf(feedDay),
      feedDay: await put(feedDay),
      ...(stepFreeDay && { stepFreeDay: await put(stepFreeDay) }),
      lines: await putLines(store, routeLines(feed, runs, await shapesOf(feed, runs, note))),
    };
  } finally {
    feed.source.close();
  }
}

/**
 * Reads the shapes that some runs follow; null if they cannot be read, since they change no time.
 * Their rows are not reported, as those of stops and times are.
 */
async function shapesOf(
  { source }: Feed,
  runs: readonly TripRun[],
  note: (line: string) => void,
): Promise<Shapes | null> {
  const wanted = new Set(runs.map(({ shape }) => shape));
  wanted.delete('');
  try {
    return await Shapes.read(source, wanted, new FeedReport(), FEED_LIMITS.linePoints);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    const reason = error.message.replace(`${source.path}: `, '');
    note(`its lines are drawn straight from stop to stop: ${reason}`);
    return null;
  }
}

async function putLines(
  store: PreparationJobContext['store'],
  lines: MapShapes,
): Promise<PreparedFeed['lines']> {
  if (lines.count === 0) return null;
  const encoded = new BaseMapCellWriter();
  for (let line = 0; line < lines.count; line++) encoded.add(lines, line);
  const object = await putObject(store, 'prepared/lines', 'tta', encoded.encode());
  const [west, east] = extentOf(lines.x.view());
  const [north, south] = extentOf(lines.y.view());
  return { box: [lonOf(west), latOf(south), lonOf(east), latOf(north)], object };
}

/** The least and the greatest of some coordinates, as shares of the side of the world. */
function extentOf(values: Int32Array): [least: number, greatest: number] {
  let [least, greatest] = [values[0], values[0]];
  for (const value of values) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  const side = 2 ** WORLD_BITS;
  return [least / side, greatest / side];
}

function cellsOf({ stops }: FeedDay): number[] {
  const points = stops.flatMap((stop) => [stop, ...stop.entrances]);
  const cells = new Set(points.map(({ lon, lat }) => COARSE_CELLS.at(lon, lat)));
  return [...cells].sort((a, b) => a - b);
}
