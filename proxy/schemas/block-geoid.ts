import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { truncate } from '../../portal/http/problem.ts';
import { BLOCK_GEOID, type GeoidNumber } from '../../shards/geoid.ts';
import { BOUNDS, boundsSchema, isWithin } from '../bounds.ts';
import { kindOf } from './list.ts';
import { decimal } from './scalar-text.ts';

/** The document's schema of a block of a request. */
export const BLOCK_SCHEMA: oas31.SchemaObject = {
  anyOf: [{ type: 'string', pattern: BLOCK_GEOID.source }, boundsSchema('integer', BOUNDS.block)],
};

/**
 * Reads a block of a list: its GEOID as text, or as a number, which lacks a leading zero, in any
 * notation. Undefined for other values.
 */
export function blockNumber(value: unknown): GeoidNumber | undefined {
  const number = typeof value === 'string' ? decimal(value) : value;
  const isBlock = Number.isInteger(number) && isWithin(BOUNDS.block, number as number);
  return isBlock ? (number as GeoidNumber) : undefined;
}

/** Returns the error message for a value that is no block GEOID. */
export function blockFault(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const given = isScalar ? truncate(JSON.stringify(value)) : kindOf(value);
  return `must be a census block GEOID, 15 digits as text or a number, not ${given}`;
}

/** A block of a list, in a query or a body. */
export const blockItem = z.unknown().transform((value, context): GeoidNumber => {
  const number = blockNumber(value);
  if (number !== undefined) return number;
  context.addIssue({
    code: 'custom',
    params: { type: 'invalid_format' },
    message: blockFault(value),
  });
  return z.NEVER;
});
