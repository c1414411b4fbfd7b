import { z } from 'zod';
import { LIMITS } from '../bounds.ts';
import type { ListDescription } from './field-descriptions.ts';
import { distinct, listOf } from './list.ts';

/** No parameters: any parameter is rejected by name. */
export const NONE = z.strictObject({});

/** A parameter as a named component of the document. */
export function named<T extends z.ZodType>(id: string, parameter: T): T {
  return parameter.meta({ ...parameter.meta(), param: { id } });
}

/** Whether a value is text with commas. */
export const hasCommas = (value: unknown) => typeof value === 'string' && value.includes(',');

/** A value of a repeatable parameter; joined values get advice to repeat the parameter. */
export const singleValue = z.unknown().superRefine((value, context) => {
  if (!hasCommas(value)) return;
  const message = 'takes one value; for several, repeat the parameter';
  context.addIssue({ code: 'custom', params: { type: 'too_many' }, message });
});

/**
 * A repeatable parameter, whose values are sorted ascending without duplicates; undefined if
 * absent.
 */
export function repeated<V extends string | number>(
  item: z.ZodType<V>,
  items: Readonly<Record<string, unknown>>,
  { what, more }: ListDescription,
) {
  return z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      listOf(singleValue.pipe(item), LIMITS.repeats, {
        none: 'is missing',
        many: `must not be repeated more than ${LIMITS.repeats} times`,
      })
        .transform((values): V[] => distinct(values))
        .optional(),
    )
    .optional()
    .meta({
      description: `${what}; repeat the parameter for several.${more}`,
      override: { type: 'array', items, maxItems: LIMITS.repeats },
    });
}
