import { z } from 'zod';
import { MAX_COUNTED_FAULTS } from '../http/request-limits.ts';
import { missing } from '../http/validation.ts';

/**
 * Error messages for a value that is not a list, for an empty list, and for a list that is too
 * long.
 */
interface ListFaults {
  /** The expected form; the actual value is appended. */
  readonly none: string;
  /** For lists that must not be empty. */
  readonly empty?: string;
  readonly many: string;
}

/**
 * A list with a maximum length. The length is checked before the items, so that a hundred thousand
 * wrong items give one error. In a list of permitted length, each of the first `MAX_COUNTED_FAULTS`
 * wrong items gives one. Items of a list longer than `MAX_COUNTED_FAULTS` are parsed twice, first
 * to find where to stop.
 */
export function listOf<T extends z.ZodType>(item: T, most: number, faults: ListFaults) {
  return z
    .unknown()
    .superRefine((value, context) => {
      const fault = faultOf(value, most, faults);
      if (fault)
        context.addIssue({ code: 'custom', params: { type: fault.type }, message: fault.msg });
    })
    .transform((value) => untilTooManyWrong(value as unknown[], item))
    .pipe(z.array(item));
}

/** Returns the items up to the last wrong item that counts; all items if few are wrong. */
function untilTooManyWrong(items: readonly unknown[], item: z.ZodType): readonly unknown[] {
  if (items.length <= MAX_COUNTED_FAULTS) return items;
  let wrong = 0;
  for (const [i, one] of items.entries()) {
    if (!item.safeParse(one).success && ++wrong === MAX_COUNTED_FAULTS)
      return items.slice(0, i + 1);
  }
  return items;
}

function faultOf(value: unknown, most: number, { none, empty, many }: ListFaults) {
  if (!Array.isArray(value)) {
    const msg = value === undefined ? missing(none) : `${none}, not ${kindOf(value)}`;
    return { type: 'invalid_type', msg };
  }
  if (value.length > most) return { type: 'too_big', msg: many };
  if (value.length === 0 && empty !== undefined) return { type: 'too_small', msg: empty };
  return null;
}

/** Describes the type of a JSON value. */
export function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'a number';
  if (Array.isArray(value)) return 'a list';
  return value !== null && typeof value === 'object' ? 'an object' : String(value);
}

/** Completes the error message for a value, since some clients send each value as a list of one. */
export function singleFault(fault: string, value: unknown): string {
  return Array.isArray(value) ? `${fault}, not ${kindOf(value)}` : fault;
}

/** Returns the values sorted ascending, without duplicates. */
export function distinct<T extends string | number>(values: readonly T[]): T[] {
  return [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
}
