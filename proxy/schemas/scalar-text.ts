import { z } from 'zod';
import { type Bounds, boundsText, isWithin } from '../bounds.ts';

/** Text of a parameter that may be given once. */
export const onceText = z.string({
  error: ({ input }) => (input === undefined ? 'is missing' : 'must be given once'),
});

/** One of a few words. */
export function choice<const T extends readonly string[]>(words: T) {
  return z.enum(words, {
    error: ({ input }) =>
      Array.isArray(input) ? 'must be given once' : `must be one of ${words.join(', ')}`,
  });
}

/** A decimal number within bounds, with any number of digits and an optional exponent. */
export function numberText(bounds: Bounds) {
  return bounded(bounds, 'a number', Number.isFinite);
}

/** A whole number within bounds, however it is written: `500`, `5e2`, `500.0`. */
export function integerText(bounds: Bounds) {
  return bounded(bounds, 'a whole number', Number.isInteger);
}

/** A decimal number without bounds: `±Infinity` where it is too large to be told apart. */
export const anyNumberText = bounded(
  { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY },
  'a number',
  () => true,
);

/** Either of the ways to write a boolean, in any letters. */
export const booleanText = onceText
  .regex(/^(true|false|1|0)$/i, { error: 'must be true or false' })
  .transform((text) => /^(true|1)$/i.test(text));

function bounded(bounds: Bounds, kind: string, isOfKind: (value: number) => boolean) {
  return onceText.transform((text, context) => {
    const value = decimal(text);
    const isOf = value !== undefined && (isOfKind(value) || !Number.isFinite(value));
    if (isOf && isWithin(bounds, value)) return value;
    context.addIssue({
      code: 'custom',
      params: { type: isOf ? 'out_of_range' : 'invalid_number' },
      message: isOf ? `must be ${boundsText(bounds)}` : `must be ${kind}`,
    });
    return z.NEVER;
  });
}

// Without the alternatives of the whole part apart, a long run of digits is tried in every division.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+\- ]?\d+)?$/i;

/** The number that a decimal text is; undefined for other text, and for `NaN`, `0x10`, `Infinity`. */
export function decimal(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  // A plus that a client leaves bare in a URL arrives as a space.
  return Number(text.replace(' ', '+'));
}
