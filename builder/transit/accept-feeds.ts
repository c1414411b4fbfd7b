import path from 'node:path';
import { counted, withCommas } from '../../shards/number-words.ts';
import { feedState } from '../../shards/release/feed-state.ts';
import type { FeedFacts, LeftOutFeed } from '../../shards/release/manifest.ts';
import { type FeedTolerance, MAX_FEEDS_LEFT_OUT } from '../build-request.ts';
import { BuildError } from '../errors.ts';
import { countListedTrips } from '../gtfs/feed.ts';
import type { FeedOutline } from '../gtfs/feed-outline.ts';
import { withProblems } from '../gtfs/feed-report.ts';
import { nearestDay } from '../gtfs/ordinary-days.ts';
import { dateOf, isoDate, isWeekday, type ServiceDay, weekdayName } from '../gtfs/service-time.ts';
import type { Progress } from '../progress.ts';

/** Describes why a feed cannot be read. Errors that are not a `BuildError` are thrown on. */
export async function unreadableFeed(
  feed: string,
  sha256: string,
  error: unknown,
): Promise<LeftOutFeed> {
  if (!(error instanceof BuildError)) throw error;
  const file = path.basename(feed);
  const reason = error.message.replace(`${feed}: `, '').replaceAll(feed, file);
  const trips = await countListedTrips(feed);
  return { file, sha256, publisher: null, trips, reason, is_lost: true };
}

/** Describes a feed that a release has no need of. */
export function unneededFeed(
  feed: Pick<FeedOutline, 'path'> & Partial<FeedOutline> & { readonly sha256: string },
  reason: string,
): LeftOutFeed {
  const publisher = feed.info?.publisher ?? feed.agency ?? null;
  const { sha256, trips = null } = feed;
  return { file: path.basename(feed.path), sha256, publisher, trips, reason, is_lost: false };
}

/** The reason why a build leaves out feeds without a licence. */
const NO_LICENCE = 'no licence of it is known';

/** Describes a feed that a build leaves out since its licence is not known. */
export function withoutLicence(path: string, sha256: string, publisher?: string): LeftOutFeed {
  return unneededFeed({ path, sha256, agency: publisher || undefined }, NO_LICENCE);
}

/** Tables whose rows say when trips run. */
const TIMES_OF_SERVICE: ReadonlySet<string> = new Set([
  'calendar.txt',
  'calendar_dates.txt',
  'frequencies.txt',
]);

/**
 * Describes a feed that has no trip on any weekday, or on any day like the requested one of a
 * weekend, with the rows that could not be used. It is lost if some of these say when trips run.
 */
export function withoutService(
  feed: FeedOutline & { readonly sha256: string },
  asked: ServiceDay | null,
): LeftOutFeed {
  const day = asked === null || isWeekday(asked) ? 'weekday' : weekdayName(asked);
  const reason = withProblems(`no trip runs on any ${day}`, feed.problems);
  const isLost = feed.problems.some(({ file }) => TIMES_OF_SERVICE.has(file));
  return { ...unneededFeed(feed, reason), is_lost: isLost };
}

/** The error for a requested day on which no feed has service. */
export function noService(
  asked: ServiceDay,
  feeds: readonly FeedOutline[],
  leftOut: readonly LeftOutFeed[],
): BuildError {
  const days = feeds.flatMap(({ days }) => [...days.trips.keys()]);
  const on = (day: ServiceDay) => isoDate(dateOf(day));
  const range = `the nearest day with service is ${on(nearestDay(days, asked))}, of those from ${on(days.reduce((a, b) => Math.min(a, b)))} to ${on(days.reduce((a, b) => Math.max(a, b)))}`;
  const others = leftOut.length === 0 ? '' : `; left out: ${reasonsOf(leftOut)}`;
  return new BuildError(`no feed has service on ${on(asked)}; ${range}${others}`);
}

export function noneUsable(leftOut: readonly LeftOutFeed[]): BuildError {
  return new BuildError(
    `no feed can be used; fix them, or build without transit, by tta build with --osm and --blocks, without --inputs and --gtfs: ${reasonsOf(leftOut)}`,
  );
}

/** A feed that is read, and the number of its trips, whatever their days. */
interface ReadFeed {
  readonly facts: FeedFacts;
  readonly trips: number;
}

/**
 * Warns of each feed that is left out or has less service than expected. Throws a `BuildError` with
 * the reasons if the release would lose a larger share of its feeds, or of their trips as far as
 * these could be counted, than it may; or, in a strict build, any feed. Feeds without a licence
 * count neither as lost nor as asked for.
 */
export function acceptFeeds(
  used: readonly ReadFeed[],
  leftOut: readonly LeftOutFeed[],
  { strictFeeds = false, maxFeedsLeftOut = MAX_FEEDS_LEFT_OUT }: FeedTolerance,
  progress: Progress,
): void {
  for (const { file, reason } of leftOut) progress.note(`WARNING: ${file}: left out: ${reason}`);
  const wanted = leftOut.filter(({ reason }) => reason !== NO_LICENCE);
  const unused: FeedReason[] = [...wanted];
  for (const { facts } of used) {
    const { file } = facts;
    const { status, reason } = feedState(facts);
    if (reason === null) continue;
    progress.note(`WARNING: ${file}: ${reason}; check --service-date, or use another feed`);
    if (status === 'empty-in-window') unused.push({ file, reason });
  }
  const asked = used.length + wanted.length;
  const given = counted(asked, 'feed');
  if (strictFeeds && unused.length > 0) {
    throw new BuildError(
      `${unused.length} of ${given} cannot be used; fix or remove them, or leave out --strict: ${reasonsOf(unused)}`,
    );
  }
  if (used.length === 0) throw noneUsable(leftOut);
  const lost = leftOut.filter(({ is_lost }) => is_lost);
  const lostTrips = tripsIn(lost);
  const allTrips = lostTrips + tripsIn(used);
  const percent = Math.max((100 * lost.length) / asked, (100 * lostTrips) / Math.max(1, allTrips));
  if (percent > maxFeedsLeftOut) {
    const trips =
      lostTrips > 0 ? `, with ${withCommas(lostTrips)} of ${counted(allTrips, 'trip')}` : '';
    throw new BuildError(
      `${lost.length} of ${given} cannot be read${trips}; fix or remove them, or allow it by --max-feeds-left-out ${Math.ceil(percent)}: ${reasonsOf(lost)}`,
    );
  }
}

function tripsIn(feeds: readonly { readonly trips: number | null }[]): number {
  return feeds.reduce((sum, { trips }) => sum + (trips ?? 0), 0);
}

type FeedReason = Pick<LeftOutFeed, 'file' | 'reason'>;

function reasonsOf(feeds: readonly FeedReason[]): string {
  return feeds.map(({ file, reason }) => `${file}: ${reason}`).join(' | ');
}
