import { z } from 'zod';
import { type Bounds, boundsText, LIMITS } from '../bounds.ts';
import { MAX_COUNTED_FAULTS } from '../http/request-limits.ts';
import { acceptsParameters, missing, withoutNulls } from '../http/validation.ts';
import type { Kind } from './field.ts';
import { integer, kindOf } from './kinds.ts';

interface ListFaults {
  /** The expected form; the actual value is appended. */
  readonly none: string;
  /** For lists that must not be empty. */
  readonly empty?: string;
  readonly many?: string;
}

/** A repeated parameter, or an array in a body; values are sorted ascending without duplicates. */
interface ListOptions {
  readonly of: string;
  readonly empty?: string;
  readonly most?: number;
  /** Whether values keep the order sent, which is that of the rows. */
  readonly inOrder?: boolean;
}

/** A list of values: in a query the repeated parameter, in a body an array. */
export function list<T extends string | number>(
  { text, json }: Kind<T>,
  { of, empty = 'omit it to request all', most = LIMITS.listed, inOrder = false }: ListOptions,
): Kind<T[]> {
  const arranged = (values: T[]) => (inOrder ? [...new Set(values)] : distinct(values));
  const faults = {
    none: `must be an array of ${of}`,
    empty: `must not be empty: ${empty}`,
  };
  return {
    text: repeated(text, Math.min(most, LIMITS.repeats)).transform(arranged),
    json: listOf(json, most, faults).transform(arranged),
  };
}

export function levels(bounds: Bounds, most: number): Kind<number[]> {
  const fault = `must be 1 to ${most} whole minutes ${boundsText(bounds)}, ascending`;
  const ascends = (minutes: readonly number[]) =>
    minutes.every((level, i) => i === 0 || level > minutes[i - 1]);
  const { text, json } = integer(bounds);
  return {
    text: repeated(text, most, fault).refine(ascends, { error: fault }),
    json: listOf(json, most, { none: fault, empty: fault, many: fault }).refine(ascends, {
      error: fault,
    }),
  };
}

/** A repeatable parameter; joined values get advice to repeat the parameter. */
function repeated<T>(
  item: z.ZodType<T>,
  most: number,
  many = `must not be repeated more than ${most} times`,
) {
  const single = z.preprocess((value, context) => {
    if (hasCommas(value)) {
      const message = 'takes one value; for several, repeat the parameter';
      context.addIssue({ code: 'custom', params: { type: 'too_many' }, message });
    }
    return value;
  }, item);
  return z
    .preprocess((value, context) => {
      const items: unknown[] = Array.isArray(value) ? value : [value];
      if (items.length <= most) return items;
      context.addIssue({ code: 'custom', params: { type: 'too_big' }, message: many });
      return z.NEVER;
    }, z.array(single))
    .meta({ override: { maxItems: most } });
}

export const hasCommas = (value: unknown) => typeof value === 'string' && value.includes(',');

/**
 * An array with a maximum length. The length is checked before the items, so that a hundred
 * thousand wrong items give one error. In a list of permitted length, each of the first
 * `MAX_COUNTED_FAULTS` wrong items gives one. Items of a list longer than `MAX_COUNTED_FAULTS` are
 * parsed twice, first to find where to stop.
 */
export function listOf<T extends z.ZodType>(item: T, most: number, faults: ListFaults) {
  return z
    .preprocess((value, context) => {
      const fault = faultOf(value, most, faults);
      if (!fault) return untilTooManyWrong(value as unknown[], item);
      context.addIssue({ code: 'custom', params: { type: fault.type }, message: fault.msg });
      return z.NEVER;
    }, z.array(item))
    .meta({ override: { ...(faults.empty !== undefined && { minItems: 1 }), maxItems: most } });
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

function faultOf(
  value: unknown,
  most: number,
  { none, empty, many = `must list at most ${most}` }: ListFaults,
) {
  if (!Array.isArray(value)) {
    const msg = value === undefined ? missing(none) : `${none}, not ${kindOf(value)}`;
    return { type: 'invalid_type', msg };
  }
  if (value.length > most) return { type: 'too_big', msg: many };
  if (value.length === 0 && empty !== undefined) return { type: 'too_small', msg: empty };
  return null;
}

/** Returns the values sorted ascending, without duplicates. */
export function distinct<T extends string | number>(values: readonly T[]): T[] {
  return [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
}

export interface ObjectFaults {
  readonly none: string;
  readonly unknown: string;
}

/** An object within a body, whose null members are values; errors name `what` it is. */
export function exactObjectOf<Shape extends z.ZodRawShape>(
  what: string,
  shape: Shape,
  faults?: ObjectFaults,
) {
  const accepted = `${what} ${acceptsParameters(Object.keys(shape))}`;
  const { none, unknown } = faults ?? {
    none: `must be an object: ${accepted}`,
    unknown: `unknown member; ${accepted}`,
  };
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? unknown : none),
  });
}

/** An object within a body. As in the body itself, an optional member that is null is absent. */
export function objectOf<Shape extends z.ZodRawShape>(
  what: string,
  shape: Shape,
  faults?: ObjectFaults,
) {
  return z.preprocess((value) => withoutNulls(shape, value), exactObjectOf(what, shape, faults));
}
