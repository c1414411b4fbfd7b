import { geoidFromNumber } from '../../shards/geoid.ts';
import { counted, withCommas } from '../../shards/number-words.ts';
import type { CountyDiff } from '../../shards/release/release-diff.ts';

/** Describes the changes of a county, which is called `county`, in one line. */
export function changesInWords(diff: CountyDiff, county: string): string {
  if (diff.status !== 'changed') return `${county}: ${diff.status}`;
  const { kinds, rows } = diff;
  if (!rows) return `${county}: ${kinds.join(', ')}; travel times to POIs are unchanged`;
  const { worst } = rows;
  const share = ((100 * rows.moved) / Math.max(1, rows.rows)).toFixed(1);
  const parts = [
    `${share} % of ${counted(rows.rows, 'row')} changed`,
    ...(worst
      ? [
          `by ${minutes(rows.sum / rows.moved)} on average`,
          `at most ${minutes(worst.by)} (${geoidFromNumber(worst.block)} to ${worst.dest}, ${worst.mode})`,
        ]
      : []),
    `${counted(rows.added, 'row')} added, ${withCommas(rows.gone)} removed`,
  ];
  return `${county}: ${kinds.join(', ')}; ${parts.join(', ')}`;
}

function minutes(tenths: number): string {
  return `${tenths > 0 ? '+' : ''}${(tenths / 10).toFixed(1)} min`;
}
