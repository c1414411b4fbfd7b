import { z } from 'zod';
import { counted, withCommas } from '../../shards/number-words.ts';
import { WEIGHT_NAME } from '../../shards/weights/weight.ts';

/** An integer within bounds. */
export function integerSetting(min: number, max: number) {
  const wrong = `is not an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, { error: wrong, abort: true })
    .transform(Number)
    .pipe(z.number().min(min, wrong).max(max, wrong));
}

/** A percentage, with or without decimals. */
export function percentSetting() {
  return z.string().transform((text, context) => {
    const percent = Number(text);
    if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
    context.addIssue('is not a percentage from 0 to 100');
    return z.NEVER;
  });
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  MB: 1e6,
  GB: 1e9,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
};
const SIZE = /^(\d+(?:\.\d+)?) ?((?:[MG]i?B?)?)$/i;

/** A size in bytes, such as 8GB or 512MiB; a number without a unit is bytes. */
export function sizeSetting(min: number) {
  return z.string().transform((text, context) => {
    const [, amount, unit = ''] = SIZE.exec(text) ?? [];
    const inUnits = UNITS[unit && `${unit.toUpperCase().replace(/B$/, '')}B`];
    const bytes = Math.floor(Number(amount) * inUnits);
    if (bytes >= min && bytes <= Number.MAX_SAFE_INTEGER) return bytes;
    context.addIssue(
      bytes >= 0 && bytes < min
        ? `is ${counted(bytes, 'byte')}, and must be at least ${withCommas(min)}: give a unit, as in 8GB or 500MB`
        : 'is not a size such as 8GB or 500MB',
    );
    return z.NEVER;
  });
}

export function listOf(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Some of the given words, comma-separated. */
export function wordsSetting<const Word extends string>(words: readonly Word[]) {
  return z.string().transform((text, context) =>
    text.split(',').map((given) => {
      const known = words.find((word) => word === given.trim());
      if (known !== undefined) return known;
      context.addIssue(`"${given}" is not one of ${words.join(', ')}`);
      return z.NEVER;
    }),
  );
}

/** Weights, and types as `type:ID` or `type:LABEL`, comma-separated; an empty list for `none`. */
export const countedSetting = z.string().transform((text, context) => {
  if (text.trim() === 'none') return [];
  return listOf(text).map((given) => {
    if (WEIGHT_NAME.test(given) || /^type:[a-z0-9_]{1,64}$/.test(given)) return given;
    context.addIssue(`"${given}" is not people, jobs, …, type:grocery_stores, …, or none`);
    return z.NEVER;
  });
});

/** One or two secrets, comma-separated: the newer one first. */
export const secretsSetting = z
  .string()
  .transform(listOf)
  .pipe(
    z
      .array(z.string().min(16, 'secrets must have at least 16 characters'))
      .min(1, 'at least one secret is required')
      .max(2, 'at most two secrets are allowed'),
  );

/** Text validated by a function that returns the problem, or null. */
export function checkedSetting(faultOf: (text: string) => string | null) {
  return z.string('is required').superRefine((text, context) => {
    const fault = faultOf(text);
    if (fault !== null) context.addIssue(fault);
  });
}
