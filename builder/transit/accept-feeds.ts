import path from 'node:path';
import { counted } from '../../shards/number-words.ts';
import { feedState } from '../../shards/release/feed-state.ts';
import type { FeedFacts, LeftOutFeed } from '../../shards/release/manifest.ts';
import { type FeedTolerance, MAX_FEEDS_LEFT_OUT } from '../build-request.ts';
import { BuildError } from '../errors.ts';
import type { FeedOutline } from '../gtfs/feed-outline.ts';
import { describeProblem, type FeedProblem } from '../gtfs/feed-report.ts';
import type { Progress } from '../progress.ts';

/** Problems of rows that are named with a feed that cannot be used. */
const NAMED_PROBLEMS = 3;

/** Describes why a feed cannot be read. Errors that are not a `BuildError` are thrown on. */
export function unreadableFeed(feed: string, sha256: string, error: unknown): LeftOutFeed {
  if (!(error instanceof BuildError)) throw error;
  const reason = error.message.replace(`${feed}: `, '').replaceAll(feed, path.basename(feed));
  return { file: path.basename(feed), sha256, publisher: null, reason, is_lost: true };
}

/** Describes a feed that a release has no need of. */
export function unneededFeed(
  feed: Pick<FeedOutline, 'path'> & Partial<FeedOutline> & { readonly sha256: string },
  reason: string,
): LeftOutFeed {
  const publisher = feed.info?.publisher ?? feed.agency ?? null;
  return { file: path.basename(feed.path), sha256: feed.sha256, publisher, reason, is_lost: false };
}

/** The reason for a feed that has no trip on any weekday, with the rows that could not be used. */
export function withoutWeekdays(problems: readonly FeedProblem[]): string {
  const most = problems.toSorted((a, b) => b.rows - a.rows).slice(0, NAMED_PROBLEMS);
  return ['no trip runs on any weekday', ...most.map(describeProblem)].join('; ');
}

/**
 * Warns of each feed that is left out or has less service than expected. Throws a `BuildError` with
 * all reasons if the release would lose more feeds than it may.
 */
export function acceptFeeds(
  used: readonly FeedFacts[],
  leftOut: readonly LeftOutFeed[],
  { strictFeeds = false, maxFeedsLeftOut = MAX_FEEDS_LEFT_OUT }: FeedTolerance,
  progress: Progress,
): void {
  const given = used.length + leftOut.length;
  const lines = leftOut.map(({ file, reason }) => `${file}: ${reason}`);
  const reasons = lines.length === 1 ? ` ${lines[0]}` : lines.map((line) => `\n  ${line}`).join('');
  const lost = leftOut.filter(({ is_lost }) => is_lost).length;
  if (strictFeeds && leftOut.length > 0) {
    throw new BuildError(
      `${counted(leftOut.length, 'feed')} of ${given} cannot be used; mend or remove them, or leave out --strict:${reasons}`,
    );
  }
  if (used.length === 0) {
    throw new BuildError(`no feed can be used; mend them, or build without --gtfs:${reasons}`);
  }
  if (lost > maxFeedsLeftOut * given) {
    const percent = Math.ceil((100 * lost) / given);
    throw new BuildError(
      `${lost} of ${counted(given, 'feed')} cannot be read; mend or remove them, or allow it by --max-feeds-left-out ${percent}:${reasons}`,
    );
  }
  for (const { file, reason } of leftOut) progress.note(`WARNING: ${file}: left out: ${reason}`);
  for (const feed of used) {
    const { reason } = feedState(feed);
    if (reason !== null) progress.note(`WARNING: ${feed.file}: ${reason}`);
  }
}
