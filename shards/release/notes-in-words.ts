import { counted, withCommas } from '../number-words.ts';
import type { ReleaseChanges, ReleaseNotes } from './release-notes.ts';

/** Lost feeds that are named; a history repeats them. */
const MAX_LOST = 20;

/**
 * Describes what the objects of a release hold, and what changed, line by line; `verbose`: also the
 * types whose POIs are as many as before.
 */
export function* notesInWords(notes: ReleaseNotes, verbose: boolean): Generator<string> {
  const { blocks_without_streets, pois, before, changes } = notes;
  for (const { mode, reason, blocks, blocks_before } of blocks_without_streets) {
    yield `blocks without streets, ${mode}, ${reason}: ${withBefore(blocks, blocks_before)}`;
  }
  for (const { label, pois: now, pois_before } of pois) {
    if (!verbose && (pois_before === null || pois_before === now)) continue;
    yield `POIs of ${label}: ${withBefore(now, pois_before)}`;
  }
  if (before === null) return;
  yield `since release ${before.release}:`;
  if (changes === null) yield '  not known, since that release is damaged';
  else for (const line of changesInWords(changes)) yield `  ${line}`;
}

export function* changesInWords(changes: ReleaseChanges): Generator<string> {
  const { counties, feeds, cut_off, times, objects } = changes;
  yield `${withCommas(counties.changed)} of ${counted(counties.both, 'county', 'counties')} changed`;
  if (counties.added.length > 0) yield `counties added: ${counties.added.join(', ')}`;
  if (counties.gone.length > 0) yield `counties gone: ${counties.gone.join(', ')}`;
  if (feeds.added.length > 0) yield `feeds added: ${feeds.added.join(', ')}`;
  for (const { file, reason } of feeds.lost.slice(0, MAX_LOST)) {
    yield `feed lost: ${file}: ${reason ?? 'not among the inputs'}`;
  }
  const more = feeds.lost.length - MAX_LOST;
  if (more > 0) yield `${counted(more, 'more feed')} lost`;
  for (const { county, blocks, linked_before } of cut_off) {
    yield `county ${county}: ${withCommas(blocks)} of ${counted(linked_before, 'block')} with a street nearby have none any more`;
  }
  yield `${withCommas(times.moved)} of ${counted(times.compared, 'time')} to the nearest moved, ${withCommas(times.moved_much)} of them by five minutes or more, or came or went`;
  yield `${withCommas(objects.kept)} of ${counted(objects.all, 'object')} of counties are the same; ${counted(objects.new_bytes, 'byte')} in new ones`;
}

function withBefore(now: number, before: number | null): string {
  return before === null || before === now
    ? withCommas(now)
    : `${withCommas(now)}, ${withCommas(before)} before`;
}
