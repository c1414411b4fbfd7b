import { z } from 'zod';
import { type Bounds, isWithin, rangeFault } from '../bounds.ts';

/** Text of a parameter that must not be repeated. */
export const onceText = z.string({
  error: ({ input }) => (input === undefined ? 'is missing' : 'must be given once'),
});

/** One of a fixed set of words. */
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

/** A whole number within bounds, in any notation: `500`, `5e2`, `500.0`; errors name its `kind`. */
export function integerText(bounds: Bounds, kind = 'a whole number') {
  return bounded(bounds, kind, Number.isInteger);
}

/** A decimal number without bounds: `±Infinity` if it overflows. */
export const anyNumberText = bounded(
  { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY },
  'a number',
  () => true,
);

/** A boolean: `true` or `1`, `false` or `0`, in any case. */
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
      message: isOf ? rangeFault(bounds, value) : `must be ${kind}${hintOn(text)}`,
    });
    return z.NEVER;
  });
}

/** Advice on a text that is a number but for spaces around it, or a plus sign after it. */
export function hintOn(text: string): string {
  const trimmed = text.trim();
  if (
    decimal(text) !== undefined ||
    decimal(trimmed.endsWith('+') ? trimmed.slice(0, -1) : trimmed) === undefined
  )
    return '';
  return text.startsWith(' ')
    ? ': a plus sign in a query is a space; leave it out, or send %2B'
    : ': leave out the space or plus sign after it';
}

// Only one alternative begins with digits; otherwise, a long run of digits would be tried with
// every split.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+\- ]?\d+)?$/i;

/** Parses a decimal number; undefined for other text, including `NaN`, `0x10` and `Infinity`. */
export function decimal(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  // A plus that a client does not encode in a URL arrives as a space.
  return Number(text.replace(' ', '+'));
}
