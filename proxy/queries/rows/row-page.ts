import { rankIn } from '../../../shards/arrays/sorted.ts';
import type { Matrix } from '../../../shards/matrix/matrix.ts';
import type { EncodedRow, ModeRow } from '../../../shards/matrix/row-codec.ts';
import { type Mode, modeIdOf } from '../../../shards/modes.ts';
import type { Release } from '../../../shards/release/release.ts';
import type { ReleaseMode, Tenths } from '../../../shards/units.ts';
import type { Page } from './pagination.ts';

interface EntryFilter {
  /** Ascending. */
  readonly modes: readonly ReleaseMode[];
  readonly maxTenths: Tenths;
  /** Tests a target by its ordinal; if absent, all match. */
  readonly isWanted?: ((target: number) => boolean) | undefined;
}

interface Entries extends ModeRow {
  readonly mode: Mode;
}

export interface RowPage {
  readonly parts: readonly Entries[];
  readonly count: number;
  /** Position where the page ended; null if there are no more entries. */
  readonly end: Page['position'] | null;
}

/** The position before all entries, since target ids are never below 0. */
export const ROW_BEGINS = [0, -1];

/**
 * Returns the next `limit` entries of a matrix's row after a position (mode id, target id). Targets
 * ascend by id within a mode, so a page is a scan along the row that decodes no more modes than it
 * needs.
 */
export async function pageOfRow(
  { services, turns }: Release,
  { targets: ids, unit }: Matrix,
  row: EncodedRow,
  filter: EntryFilter,
  { position: [afterModeId, afterId], limit }: Pick<Page, 'position' | 'limit'>,
): Promise<RowPage> {
  const parts: Entries[] = [];
  const takesAll = filter.isWanted === undefined && filter.maxTenths >= unit.most;
  let count = 0;
  for (const position of filter.modes) {
    const { mode } = services[position];
    if (modeIdOf(mode) < afterModeId) continue;
    const { targets, times } = row.mode(position);
    const isResumed = modeIdOf(mode) === afterModeId;
    const first = isResumed ? rankIn(targets, rankIn(ids, afterId + 1)) : 0;
    const open = { targets: targets.subarray(first), times: times.subarray(first) };
    const wanted = takesAll ? open : entriesWanted(open, filter, limit - count + 1);
    const room = Math.min(wanted.targets.length, limit - count);
    parts.push({
      mode,
      targets: wanted.targets.subarray(0, room),
      times: wanted.times.subarray(0, room),
    });
    count += room;
    if (room < wanted.targets.length) return { parts, count, end: endOf(parts, ids) };
    await turns.yieldIfOverdue();
  }
  return { parts, count, end: null };
}

/** Returns the first matching entries, at most `most`. */
function entriesWanted(
  { targets, times }: ModeRow,
  { maxTenths, isWanted }: EntryFilter,
  most: number,
): ModeRow {
  const wanted = new Uint32Array(Math.min(targets.length, most));
  const wantedTimes = new Uint16Array(wanted.length);
  let count = 0;
  for (let i = 0; i < targets.length && count < wanted.length; i++) {
    if (times[i] > maxTenths || isWanted?.(targets[i]) === false) continue;
    wanted[count] = targets[i];
    wantedTimes[count] = times[i];
    count++;
  }
  return { targets: wanted.subarray(0, count), times: wantedTimes.subarray(0, count) };
}

function endOf(parts: readonly Entries[], ids: Float64Array): Page['position'] {
  const { mode, targets } = parts.findLast((part) => part.targets.length > 0)!;
  return [modeIdOf(mode), ids[targets[targets.length - 1]]];
}
