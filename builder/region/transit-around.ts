import { boxAroundBoth } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { CoarseCells } from '../geo/coarse-cells.ts';
import type { FeedTables } from '../prepare/read-feeds.ts';
import type { Progress } from '../progress.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import type { FeedDay } from '../transit/feed-day.ts';
import { joinFeeds, type TransitOfFeeds } from '../transit/join-feeds.ts';
import { patternsAmong } from '../transit/patterns-among.ts';
import { StopReach } from '../transit/stop-reach.ts';

/** Public transport around some counties, and how far it leads. */
export interface TransitAround {
  readonly transit: TransitOfFeeds;
  /** A box around what can be reached, by it or without. */
  readonly area: BoundingBox;
}

/**
 * The trips that anybody from some counties could ride: what is worked out once a region is so of all
 * trips. Feeds come in as far as those known so far lead, again and again until they lead to no other.
 * `counties` and `byStreet`: the box around their blocks, and that of what is reached without.
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
  const cells = new CoarseCells();
  cells.add(byStreet);
  for (;;) {
    const missing = feeds.near(cells).filter((feed) => !read.has(feed));
    for (const feed of missing) {
      read.set(feed, await feeds.read(feed));
      stage.at(read.size);
    }
    // In the order of the plan, by which stops are numbered.
    const inOrder = [...read].sort(([a], [b]) => a - b).map(([, feed]) => feed);
    const transit = joinFeeds(inOrder);
    const { stops, boxes } = reachOf(transit, counties, fastest);
    for (const box of boxes) cells.add(box);
    if (feeds.near(cells).some((feed) => !read.has(feed))) continue;
    const timetable = patternsAmong(transit.timetable, stops);
    stage.finish(
      `${transit.stops.length} stops in ${read.size} of ${counted(feeds.count, 'feed')}, ${counted(timetable.patternCount, 'pattern')}`,
    );
    return { transit: { ...transit, timetable }, area: boxes.reduce(boxAroundBoth, byStreet) };
  }
}

/** The stops that anybody from a box could use, and boxes as far as one walks from them. */
function reachOf(transit: TransitOfFeeds, from: BoundingBox, fastest: number) {
  const reach = new StopReach(transit, ROUTING.maxReachMinutes * MILLIS_PER_MINUTE, fastest);
  // Where counties lie in several zones, each has a window of its own.
  const windows = [...new Set(transit.stops.map((stop) => stop.windowStart))];
  const stops = windows.map((opens) => reach.stopsFrom(from, opens));
  return {
    stops: stops.flatMap((some) => [...some]),
    boxes: stops.flatMap((some) => reach.boxesAround(some)),
  };
}
