import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';

/**
 * A schema as tools list it: validation is Zod's, and its JSON Schema is without what a model does
 * not need. Lists are sent with every conversation, so their size is paid for by each.
 */
export function listedSchema<S extends z.ZodObject>(
  schema: S,
): StandardSchemaWithJSON<z.input<S>, z.output<S>> {
  const input = slim(z.toJSONSchema(schema, { io: 'input' }));
  const output = slim(z.toJSONSchema(schema, { io: 'output' }));
  return {
    '~standard': {
      ...schema['~standard'],
      jsonSchema: { input: () => input, output: () => output },
    },
  };
}

/** Keywords that say nothing a value from a model would violate; they are validated all the same. */
const SILENT = new Set([
  '$schema',
  'additionalProperties',
  'exclusiveMinimum',
  'maxItems',
  'maxLength',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
]);

function slim(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { type, ...rest } = schema;
  const slimmed = Object.entries(rest)
    .filter(([keyword, value]) => !SILENT.has(keyword) && !isUnbounded(value) && !isEmpty(value))
    .map(([keyword, value]) => [keyword, slimValue(value)]);
  return { ...(!('enum' in schema) && { type }), ...Object.fromEntries(slimmed) };
}

function slimValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slimValue);
  return typeof value === 'object' && value !== null ? slim({ ...value }) : value;
}

function isUnbounded(value: unknown): boolean {
  return value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
