import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Seconds } from '../../shards/units.ts';
import { ROUTING } from '../routing-parameters.ts';
import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS } from './limits.ts';
import { type FeedStop, LOCATION } from './stops.ts';
import { type Row, readTable } from './table.ts';
import { codeOf } from './values.ts';

export interface Pathway {
  readonly from: string;
  readonly to: string;
  readonly seconds: Seconds;
  readonly bothWays: boolean;
  /** Whether it is passed without stairs and escalators. */
  readonly isStepFree: boolean;
}

const FILE = 'pathways.txt';
/** GTFS `pathway_mode`. */
const MODE = { stairs: '2', escalator: '4', elevator: '5', exitGate: '7' } as const;
/** Time per step of stairs or an escalator, walked or ridden. */
const SECONDS_PER_STEP: Seconds = 0.75;

/**
 * Reads `pathways.txt`. A pathway to a boarding area leads to its platform, where trips call: in
 * GTFS, a platform with boarding areas has no pathways of its own.
 */
export async function readPathways(
  source: FeedSource,
  stops: ReadonlyMap<string, FeedStop>,
  report: FeedReport,
): Promise<Pathway[]> {
  const pathways: Pathway[] = [];
  const ids = new Set<string>();
  await readTable(source, report, FILE, ['from_stop_id', 'to_stop_id'], (row) => {
    const id = row.text('pathway_id');
    if (ids.has(id)) return report.add(FILE, row.line, 'duplicate pathway_id; left out');
    if (id !== '') ids.add(id);
    const from = stops.get(row.text('from_stop_id'));
    const to = stops.get(row.text('to_stop_id'));
    if (!from || !to) {
      return report.add(FILE, row.line, 'stop missing from stops.txt; left out');
    }
    const seconds = row.number('traversal_time') ?? secondsAlong(row, from, to);
    if (!(seconds >= 0 && seconds <= FEED_LIMITS.serviceTime)) {
      return report.add(FILE, row.line, 'no valid time or length; left out');
    }
    const bidirectional = codeOf(row.text('is_bidirectional'));
    if (bidirectional !== '0' && bidirectional !== '1') {
      report.add(FILE, row.line, 'is_bidirectional neither 0 nor 1; taken as 0');
    }
    const bothWays = bidirectional === '1' && codeOf(row.text('pathway_mode')) !== MODE.exitGate;
    const isStepFree = isWithoutSteps(row);
    pathways.push({ from: placeOf(from), to: placeOf(to), seconds, bothWays, isStepFree });
  });
  return pathways;
}

/** Steps of other kinds of pathways are those of `stair_count`. */
function isWithoutSteps(row: Row): boolean {
  const mode = codeOf(row.text('pathway_mode'));
  return mode !== MODE.stairs && mode !== MODE.escalator && !row.number('stair_count');
}

function placeOf({ id, type, parent }: FeedStop): string {
  return type === LOCATION.boardingArea && parent !== '' ? parent : id;
}

/**
 * Estimates the time of a pathway without `traversal_time` from its length and steps, or else from
 * its ends.
 */
function secondsAlong(row: Row, from: FeedStop, to: FeedStop): Seconds {
  const [length, steps] = [row.number('length'), row.number('stair_count')];
  const metres = length ?? (steps === null ? metresBetween(from, to) : 0);
  const climb =
    steps === null
      ? secondsUp(codeOf(row.text('pathway_mode')), from, to)
      : Math.abs(steps) * SECONDS_PER_STEP;
  return metres / ROUTING.walkMetresPerSecond + climb;
}

/**
 * Returns the distance between two locations, or 0 if either has no coordinates, as nodes inside a
 * station may.
 */
function metresBetween(from: FeedStop, to: FeedStop): number {
  const metres = localDistance(from.lon, from.lat, to.lon, to.lat);
  return Number.isNaN(metres) ? 0 : metres;
}

/**
 * Returns the time between the levels of two locations, taken to be one level apart if the feed
 * does not give both.
 */
function secondsUp(mode: string, from: FeedStop, to: FeedStop): Seconds {
  if (mode === MODE.elevator) return ROUTING.elevatorTime;
  if (mode !== MODE.stairs && mode !== MODE.escalator) return 0;
  const levels = from.level === null || to.level === null ? 1 : Math.abs(from.level - to.level);
  return levels * ROUTING.transit.secondsALevel;
}
