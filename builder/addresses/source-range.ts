import { EVEN_NUMBERS, EVERY_NUMBER, ODD_NUMBERS } from '../../shards/addresses/address-table.ts';
import type { Position } from '../../shards/geometry/polygon.ts';

/** House numbers along a street as their source has them, not yet placed in blocks. */
export interface SourceRange {
  readonly street: string;
  /** Five digits; '' if unknown. */
  readonly zip: string;
  /** The number at the first position, and that at the last. */
  readonly from: number;
  readonly to: number;
  readonly parity: number;
  /** The text after the number of a point; '' for none. */
  readonly suffix: string;
  /** The side of the line that the numbers are on, seen from its first position. */
  readonly side: 'left' | 'right' | 'on';
  /** A single position for one number. */
  readonly line: readonly Position[];
}

/** The parity of numbers whose source states none. */
export function parityOf(from: number, to: number): number {
  if (from % 2 !== to % 2) return EVERY_NUMBER;
  return from % 2 === 1 ? ODD_NUMBERS : EVEN_NUMBERS;
}

/** The first five digits of a ZIP code; '' for other text. */
export function zipOf(text: unknown): string {
  return /^\s*(\d{5})(?:-?\d{4})?\s*$/.exec(String(text ?? ''))?.[1] ?? '';
}
