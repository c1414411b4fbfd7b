import { MAX_POI_MINUTES } from '../matrix/row-codec.ts';
import type { DestTypeId, Minutes } from '../units.ts';

/** The time limits up to which `access` objects count. */
export const ACCESS_MINUTES: readonly Minutes[] = [15, 30, 45, 60];
/** Those of POIs, which are known up to 30 minutes. */
export const POI_MINUTES = ACCESS_MINUTES.filter((minutes) => minutes <= MAX_POI_MINUTES);

/** Names what `access` objects count: a weight, or `type:ID` for the POIs of a type. */
export const COUNTED_NAME = /^(?:[a-z][a-z0-9_]{0,39}|type:[1-9]\d{0,4})$/;

/** The type whose POIs are counted; null for a weight. */
export function countedType(of: string): DestTypeId | null {
  return of.startsWith('type:') ? Number(of.slice('type:'.length)) : null;
}

/** The time limits of a count, ascending. */
export function minutesCounted(of: string): readonly Minutes[] {
  return countedType(of) === null ? ACCESS_MINUTES : POI_MINUTES;
}

/** The directions of a count: POIs are counted from a block only. */
export function directionsCounted<D extends 'from' | 'to'>(
  of: string,
  directions: readonly D[],
): readonly D[] {
  return countedType(of) === null ? directions : directions.filter((one) => one === 'from');
}

export interface AccessCount {
  readonly of: string;
  readonly direction: 'from' | 'to';
  /** The service that reaches, by name. */
  readonly mode: string;
  readonly minutes: Minutes;
}

export interface AccessContents {
  /** Weights and types, see `COUNTED_NAME`. */
  readonly access: readonly string[];
  readonly directions: readonly AccessCount['direction'][];
  readonly modes: readonly string[];
}

export function accessColumn({ of, direction, mode, minutes }: AccessCount): string {
  return `${of} ${direction} ${mode} ${minutes}`;
}

/** Lists the counts of every county's `access` object, in the order of its columns. */
export function accessCountsOf({ access, directions, modes }: AccessContents): AccessCount[] {
  return access.flatMap((of) =>
    directionsCounted(of, directions).flatMap((direction) =>
      modes.flatMap((mode) =>
        minutesCounted(of).map((minutes) => ({ of, direction, mode, minutes })),
      ),
    ),
  );
}
