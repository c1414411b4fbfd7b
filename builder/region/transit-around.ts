import { boxAroundBoth } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { CellSet, COARSE_CELLS } from '../geo/cell-set.ts';
import type { FeedTables } from '../prepare/read-feeds.ts';
import type { Progress } from '../progress.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import type { FeedDay } from '../transit/feed-day.ts';
import { joinFeeds, type TransitOfFeeds } from '../transit/join-feeds.ts';
import { patternsAmong } from '../transit/patterns-among.ts';
import { StopReach } from '../transit/stop-reach.ts';

/** Public transport around some counties, and the area within its reach. */
interface TransitAround {
  readonly transit: TransitOfFeeds;
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
  feeds: FeedTables,
  fastest: number,
  progress: Progress,
): Promise<TransitAround> {
  const stage = progress.start('transit', feeds.count, 'feeds');
  const read = new Map<number, FeedDay>();
  const cells = new CellSet(COARSE_CELLS);
  cells.add(byStreet, 1);
  for (;;) {
    const missing = feeds.near(cells).filter((feed) => !read.has(feed));
    for (const feed of missing) {
      read.set(feed, await feeds.read(feed));
      stage.at(read.size);
    }
    // The order is that of the plan, which determines the numbering of stops.
    const inOrder = [...read].sort(([a], [b]) => a - b).map(([, feed]) => feed);
    const transit = joinFeeds(inOrder);
    const { stops, boxes } = reachOf(transit, counties, fastest);
    for (const box of boxes) cells.add(box, 1);
    if (feeds.near(cells).some((feed) => !read.has(feed))) continue;
    const timetable = patternsAmong(transit.timetable, stops);
    stage.finish(
      `${counted(transit.stops.length, 'stop')} in ${read.size} of ${counted(feeds.count, 'feed')}, ${counted(timetable.patternCount, 'pattern')}`,
    );
    return { transit: { ...transit, timetable }, area: boxes.reduce(boxAroundBoth, byStreet) };
  }
}

/**
 * Finds the stops that could be used from a box, and the boxes within walking distance of these.
 */
function reachOf(transit: TransitOfFeeds, from: BoundingBox, fastest: number) {
  const reach = new StopReach(transit, ROUTING.maxReachMinutes * MILLIS_PER_MINUTE, fastest);
  // Where counties span several time zones, each zone has its own window.
  const windows = [...new Set(transit.stops.map((stop) => stop.windowStart))];
  const stops = windows.map((opens) => reach.stopsFrom(from, opens));
  return {
    stops: stops.flatMap((some) => [...some]),
    boxes: stops.flatMap((some) => reach.boxesAround(some)),
  };
}
