import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { jsonSchemaOf } from '../fields/field.ts';
import { type ServedWords, withWords } from '../fields/served-words.ts';
import { validationMessage, withoutNulls } from '../http/validation.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

type Listed<S extends z.ZodObject> = StandardSchemaWithJSON<z.input<S>, z.output<S>>;

/**
 * Returns the schema of a tool's input as clients see it: Zod validates, and the JSON Schema omits
 * what a model does not need. Tool lists are sent with every conversation, which pays for their
 * size.
 */
export function listedInput<S extends z.ZodObject>(schema: S, words: ServedWords): Listed<S> {
  const json = withWords(slim(jsonSchemaOf(schema), SILENT), words);
  return listed(schema, json, (value) => withoutNulls(schema.shape, value));
}

/**
 * Returns the schema of a tool's result as clients see it, with the types of its members; those of
 * arrays and objects are omitted, since their items and members imply them.
 */
export function listedOutput<S extends z.ZodObject>(schema: S): Listed<S> {
  const json = slim(jsonSchemaOf(schema, 'output'), SILENT_OF_RESULTS);
  return listed(schema, { type: 'object', ...json }, (value) => value);
}

function listed<S extends z.ZodObject>(
  schema: S,
  json: JsonSchema,
  read: (value: unknown) => unknown,
): Listed<S> {
  const jsonSchema = { input: () => ({ ...json }), output: () => ({ ...json }) };
  const validate = (value: unknown) => {
    const { success, data, error } = schema.safeParse(read(value), { error: validationMessage });
    return success ? { value: data } : { issues: distinct(error.issues) };
  };
  return { '~standard': { ...schema['~standard'], validate, jsonSchema } };
}

/** Drops issues that repeat another: a text for a list violates the list's bounds too. */
function distinct(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const byText = new Map(
    issues.map((issue) => [`${issue.path.join('.')}: ${issue.message}`, issue]),
  );
  return [...byText.values()];
}

/**
 * Bounds that a value from a model seldom violates, or that the server's instructions state; they
 * are validated all the same, and the error names them.
 */
const SILENT = new Set([
  'exclusiveMinimum',
  'maxItems',
  'maximum',
  'maxLength',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'propertyNames',
]);

const SILENT_OF_RESULTS = new Set([...SILENT, 'required']);

/**
 * Shortens a schema: drops the `silent` keywords, false values, and the types of enumerations.
 * Lists of types become `anyOf`, since some dialects have no lists of types.
 */
function slim(schema: JsonSchema, silent: ReadonlySet<string>): JsonSchema {
  if (Array.isArray(schema.type)) return { anyOf: schema.type.map((type) => ({ type })) };
  const slimmed: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (silent.has(keyword) || value === false) continue;
    if (keyword === 'type' && 'enum' in schema) continue;
    if (keyword === 'type' && silent === SILENT_OF_RESULTS && isObjectOrArray(value)) continue;
    if (keyword === 'anyOf') {
      slimmed[keyword] = (value as readonly JsonSchema[]).map((one) => slim(one, silent));
    } else if (keyword === 'items' || keyword === 'additionalProperties') {
      slimmed[keyword] = slim(value as JsonSchema, silent);
    } else if (keyword === 'properties') {
      const members = Object.entries(value as Record<string, JsonSchema>);
      if (members.length === 0) continue;
      slimmed.properties = Object.fromEntries(
        members.map(([name, member]) => [name, slim(member, silent)]),
      );
    } else slimmed[keyword] = value;
  }
  return slimmed;
}

function isObjectOrArray(type: unknown): boolean {
  return type === 'object' || type === 'array';
}
