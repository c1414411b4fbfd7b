import { boxAroundBoth } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { CellSet, COARSE_CELLS } from '../geo/cell-set.ts';
import type { FeedTables } from '../prepare/feeds.ts';
import type { Progress } from '../progress.ts';
import { MILLIS_PER_MINUTE, ROUTING, type Routing } from '../routing-parameters.ts';
import type { FeedDay } from '../transit/feed-day.ts';
import { type FeedsOfWindow, joinFeeds, type TransitOfFeeds } from '../transit/join-feeds.ts';
import { patternsAmong } from '../transit/patterns-among.ts';
import { StopReach } from '../transit/stop-reach.ts';

/** Public transport around some counties, and the area within its reach. */
interface TransitAround {
  /**
   * By riders, then window: of all riders, and, if it was prepared, of those without steps, at the
   * same stops.
   */
  readonly riders: readonly (readonly TransitOfFeeds[])[];
  /** A box around everything within reach, with or without transit. */
  readonly area: BoundingBox;
}

/**
 * Finds the trips that could be ridden from some counties, so that the region is computed from all
 * relevant trips. Feeds within reach of those known so far are added until there are no more.
 * `counties` is the box around the blocks of the counties; `byStreet` is the box around everything
 * within reach without transit.
 */
export async function transitAround(
  counties: BoundingBox,
  byStreet: BoundingBox,
  windows: readonly FeedTables[],
  fastest: number,
  progress: Progress,
  routing: Routing = ROUTING,
): Promise<TransitAround> {
  const [{ count }] = windows;
  const stage = progress.start('transit', count, 'feeds');
  const read = windows.map((): Map<number, FeedDay> => new Map());
  const cells = new CellSet(COARSE_CELLS);
  cells.add(byStreet, 1);
  const missingOf = (w: number) => windows[w].near(cells).filter((feed) => !read[w].has(feed));
  for (;;) {
    for (const [w, feeds] of windows.entries()) {
      for (const feed of missingOf(w)) {
        read[w].set(feed, await feeds.read(feed));
        if (w === 0) stage.at(read[w].size);
      }
    }
    const joined = joinFeeds(windows.map((feeds, w) => windowOf(feeds, read[w])));
    const reached = reachOf(joined, counties, fastest, routing);
    for (const box of reached.flatMap(({ boxes }) => boxes)) cells.add(box, 1);
    if (windows.some((_, w) => missingOf(w).length > 0)) continue;
    const within = (all: readonly TransitOfFeeds[]) =>
      all.map((transit, w) => {
        return { ...transit, timetable: patternsAmong(transit.timetable, reached[w].stops) };
      });
    const stepFree = await joinStepFree(windows, read);
    const riders = (stepFree === null ? [joined] : [joined, stepFree]).map(within);
    const [[{ stops, timetable }]] = riders;
    stage.finish(
      `${counted(stops.length, 'stop')} in ${read[0].size} of ${counted(count, 'feed')}, ${counted(timetable.patternCount, 'pattern')}`,
    );
    const area = reached.flatMap(({ boxes }) => boxes).reduce(boxAroundBoth, byStreet);
    return { riders, area };
  }
}

function windowOf(feeds: FeedTables, read: ReadonlyMap<number, FeedDay>): FeedsOfWindow {
  // The order is that of the plan, which determines the numbering of stops.
  const inOrder = [...read].sort(([a], [b]) => a - b);
  return {
    window: feeds.window,
    feeds: new Map(inOrder.map(([feed, day]) => [feeds.identityOf(feed), day])),
  };
}

/**
 * Joins the service for riders without steps of the feeds that were read, with the same numbering
 * of stops; null if it was not prepared.
 */
async function joinStepFree(
  windows: readonly FeedTables[],
  read: readonly ReadonlyMap<number, FeedDay>[],
): Promise<TransitOfFeeds[] | null> {
  const joined: FeedsOfWindow[] = [];
  for (const [w, feeds] of windows.entries()) {
    const stepFree = new Map<number, FeedDay>();
    for (const feed of read[w].keys()) {
      const day = await feeds.readStepFree(feed);
      if (day === null) return null;
      stepFree.set(feed, day);
    }
    joined.push(windowOf(feeds, stepFree));
  }
  return joinFeeds(joined);
}

/** The stops that may be used in each window, and the boxes around them. */
function reachOf(
  windows: readonly TransitOfFeeds[],
  from: BoundingBox,
  fastest: number,
  routing: Routing,
) {
  const limit = routing.maxReachMinutes * MILLIS_PER_MINUTE;
  return StopReach.inWindows(windows, limit, fastest, routing).map((reach, w) => {
    // Where counties span several time zones, each zone has its own window.
    const starts = [...new Set(windows[w].stops.map((stop) => stop.windowStart))];
    const stops = starts.map((opens) => reach.stopsFrom(from, opens));
    return {
      stops: stops.flatMap((some) => [...some]),
      boxes: stops.flatMap((some) => reach.boxesAround(some)),
    };
  });
}
