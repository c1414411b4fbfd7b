import { z } from 'zod';
import { type Bounds, boundsSchema, isWithin, rangeFault } from '../bounds.ts';
import { missing } from '../http/validation.ts';
import type { Kind } from './field.ts';

export function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'a number';
  if (Array.isArray(value)) return 'a list';
  return value !== null && typeof value === 'object' ? 'an object' : String(value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Completes the error message for a value, since some clients send each value as a list of one. */
export function singleFault(fault: string, value: unknown): string {
  return Array.isArray(value) ? `${fault}, not ${kindOf(value)}` : fault;
}

/** Text of a parameter that must not be repeated. */
export const onceText = z.string({
  error: ({ input }) => (input === undefined ? 'is missing' : 'must be given once'),
});

const TEXT_FAULT = 'must be text';

export function phrase(refine: (text: z.ZodString) => z.ZodType<string>): Kind<string> {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? missing(TEXT_FAULT) : singleFault(TEXT_FAULT, input);
  return { text: refine(onceText), json: refine(z.string({ error })) };
}

export const releaseName = phrase((text) =>
  text.regex(/^(manifests\/)?[0-9A-Za-z][0-9A-Za-z._-]{0,80}$/, {
    error: 'must be a release: its label, its version, or the name of its manifest',
  }),
);

export function choice<const W extends readonly string[]>(words: W): Kind<W[number]> {
  const fault = `must be one of ${words.join(', ')}`;
  return {
    text: z.enum(words, {
      error: ({ input }) => (Array.isArray(input) ? 'must be given once' : fault),
    }),
    json: z.enum(words, {
      error: ({ input }) => (input === undefined ? missing(fault) : singleFault(fault, input)),
    }),
  };
}

export const flag: Kind<boolean> = {
  text: onceText
    .regex(/^(true|false|1|0)$/i, { error: 'must be true or false' })
    .transform((text) => /^(true|1)$/i.test(text))
    .meta({ override: { type: 'boolean', pattern: undefined } }),
  json: z.boolean({
    error: ({ input }) => {
      const isQuoted = typeof input === 'string' && /^(true|false)$/i.test(input);
      return singleFault(`must be true or false${isQuoted ? ': leave out the quotes' : ''}`, input);
    },
  }),
};

/** A number within bounds: in text a decimal number with any number of digits, and an exponent. */
export function number(bounds: Bounds): Kind<number> {
  return numeric(bounds, 'number', 'a number');
}

/** A whole number within bounds, in any notation: `500`, `5e2`, `500.0`; errors name its `what`. */
export function integer(bounds: Bounds, what = 'a whole number'): Kind<number> {
  return numeric(bounds, 'integer', what);
}

/** The bounds of numbers that a route checks itself; text that overflows is `±Infinity`. */
export const UNBOUNDED = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

function numeric(bounds: Bounds, type: 'number' | 'integer', what: string): Kind<number> {
  const isOfType = type === 'integer' ? Number.isInteger : Number.isFinite;
  const fault = `must be ${what}`;
  const schema = { override: boundsSchema(type, bounds) };
  /** Returns a number of the kind; adds an issue for any other value, for which it is undefined. */
  const checked = (
    value: number | undefined,
    context: z.core.$RefinementCtx,
    wrongKind: () => { readonly type: string; readonly message: string },
  ): number => {
    if (value !== undefined && (isOfType(value) || !Number.isFinite(value))) {
      if (isWithin(bounds, value)) return value;
      const message = rangeFault(bounds, value);
      context.addIssue({ code: 'custom', params: { type: 'out_of_range' }, message });
    } else {
      const { type, message } = wrongKind();
      context.addIssue({ code: 'custom', params: { type }, message });
    }
    return z.NEVER;
  };
  return {
    text: onceText
      .transform((text, context) =>
        checked(decimal(text), context, () => ({
          type: 'invalid_number',
          message: `${fault}${hintOn(text)}`,
        })),
      )
      .meta(schema),
    json: z
      .unknown()
      .transform((value, context) =>
        checked(typeof value === 'number' ? value : undefined, context, () => ({
          type: 'invalid_type',
          message: jsonFault(fault, value),
        })),
      )
      .meta(schema),
  };
}

/** Describes the fault of a JSON value that is no number, with advice on one in quotes. */
export function jsonFault(fault: string, value: unknown): string {
  if (value === undefined) return missing(fault);
  const isQuoted = typeof value === 'string' && decimal(value) !== undefined;
  return singleFault(isQuoted ? `${fault}: leave out the quotes` : fault, value);
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
