import { minutesCounted } from '../access/access-columns.ts';
import type { Mode } from '../modes.ts';
import type { DestTypeId, Minutes } from '../units.ts';
import type { Measure } from './block-change.ts';
import type { ReleasePair } from './compared-county.ts';

export function modesOfBoth({ before, after }: ReleasePair): Mode[] {
  return after.chosen
    .map((position) => after.services[position].mode)
    .filter((mode) => before.positionOf(mode) !== -1);
}

/** The leaf types that both releases have, ascending. */
export function leavesOfBoth({ before, after }: ReleasePair): DestTypeId[] {
  return after.taxonomy.leafIds.filter((type) => before.taxonomy.has(type));
}

export function countedByBoth({ before, after }: ReleasePair): string[] {
  return after.manifest.access.filter((of) => before.manifest.access.includes(of));
}

/** Measures of times, by type, then mode. */
export function timeMeasures(types: readonly DestTypeId[], modes: readonly Mode[]): Measure[] {
  return types.flatMap((type) => modes.map((mode) => ({ kind: 'minutes', type, mode }) as const));
}

/** Measures of counts, by what is counted, then mode, then minutes: by default all. */
export function countMeasures(
  of: readonly string[],
  modes: readonly Mode[],
  minutes?: readonly Minutes[],
): Measure[] {
  return of.flatMap((one) =>
    modes.flatMap((mode) =>
      (minutes ?? minutesCounted(one)).map(
        (limit) => ({ kind: 'count', of: one, minutes: limit, mode }) as const,
      ),
    ),
  );
}
