import type { z } from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/**
 * What is wrong with a value, for the person who sent it, where a schema says nothing of its own:
 * zod speaks to programmers. It follows the name of the value: `email: must be text`.
 */
export function faultInWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      const kind = KINDS[issue.expected] ?? issue.expected;
      return issue.input === undefined ? `is missing: it must be ${kind}` : `must be ${kind}`;
    }
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return `must ${sizeOf(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'at most', issue.maximum)}`;
    default:
      return undefined;
  }
}

/** The same for a value of a path or query: each is text, or the texts of a repeated one. */
export function textFaultInWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type' || issue.expected !== 'string') return faultInWords(issue);
  return issue.input === undefined ? 'is missing' : 'must be given once';
}

function sizeOf(origin: string, bound: string, size: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${size} characters`;
  return origin === 'array' ? `have ${bound} ${size} items` : `be ${bound} ${size}`;
}
