import { counted, withCommas } from '../../shards/number-words.ts';
import type { ReleaseNotes } from '../../shards/release/release-notes.ts';

/** The largest changes with which a release may replace the one before, in percent. */
export interface Thresholds {
  /** Feeds that the release lacks, of those that the release before had service from. */
  readonly feedsLost: number;
  /** Blocks of a county that lost their streets, of those that had a street nearby. */
  readonly blocksCutOff: number;
  /** Times to the nearest that moved by five minutes or more, came or went, of all. */
  readonly timesMoved: number;
  /** By which the POIs of a type may become fewer; they may grow by the inverse ratio. */
  readonly poisChanged: number;
}

/** Thresholds that an ordinary week stays well within. */
export const THRESHOLDS: Thresholds = {
  feedsLost: 10,
  blocksCutOff: 5,
  timesMoved: 10,
  poisChanged: 30,
};

/** A type with fewer POIs, or a county with fewer blocks, is too small for a percentage. */
const FEWEST = 10;

/**
 * Judges whether a release may replace the one before it: returns the reasons against it, none if
 * it may. The first release of a store may; one whose predecessor cannot be read may not.
 */
export function reasonsAgainst(
  { before, changes, pois }: ReleaseNotes,
  { feedsLost, blocksCutOff, timesMoved, poisChanged }: Thresholds,
): string[] {
  if (before === null) return [];
  if (changes === null) {
    return [`release ${before.release} is damaged, so that changes are not known`];
  }
  const { counties, feeds, cut_off, times } = changes;
  const lost = feeds.lost.map(
    ({ file, reason }) => `${file} (${reason ?? 'not among the inputs'})`,
  );
  return [
    ...(counties.gone.length > 0
      ? [
          `lacks ${counted(counties.gone.length, 'county', 'counties')}: ${counties.gone.join(', ')}`,
        ]
      : []),
    ...(exceeds(feeds.lost.length, feeds.used_before, feedsLost)
      ? [`lost ${feeds.lost.length} of ${counted(feeds.used_before, 'feed')}: ${lost.join('; ')}`]
      : []),
    ...cut_off
      .filter(
        ({ blocks, linked_before }) =>
          linked_before >= FEWEST && exceeds(blocks, linked_before, blocksCutOff),
      )
      .map(
        ({ county, blocks, linked_before }) =>
          `county ${county}: ${withCommas(blocks)} of ${counted(linked_before, 'block')} with a street nearby have none any more`,
      ),
    ...(exceeds(times.moved_much, times.compared, timesMoved)
      ? [
          `${withCommas(times.moved_much)} of ${counted(times.compared, 'time')} to the nearest moved by five minutes or more, came or went`,
        ]
      : []),
    ...pois.flatMap(({ label, pois: now, pois_before: was }) => {
      if (was === null || Math.max(was, now) < FEWEST) return [];
      const [fewer, more] = [Math.min(was, now), Math.max(was, now)];
      if (!exceeds(more - fewer, more, poisChanged)) return [];
      return [`${label}: ${counted(now, 'POI')}, ${withCommas(was)} before`];
    }),
  ];
}

function exceeds(part: number, whole: number, percent: number): boolean {
  return part > 0 && 100 * part > percent * whole;
}
