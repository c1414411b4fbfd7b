import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { WEIGHT_NAME } from '../../shards/weights/weight.ts';

/** The name of a weight; the route checks whether the release has it. */
export const weightName = z
  .string({ error: 'must be the name of a weight' })
  .regex(WEIGHT_NAME, { error: 'must be the name of a weight: lower case letters, digits, _' });

/** A weight's name as the document describes it. */
export const WEIGHT_SCHEMA: oas31.SchemaObject = { type: 'string', pattern: WEIGHT_NAME.source };
