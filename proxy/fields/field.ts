import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import type { ExampleMarks } from '../endpoint.ts';

/**
 * A kind of value: how it is read from the text of a query or path, and from JSON. Both schemas
 * state their JSON Schema, if Zod cannot derive it, as `override`; nothing else states it.
 */
export interface Kind<T> {
  readonly text: z.ZodType<T>;
  readonly json: z.ZodType<T>;
}

type Medium = keyof Kind<unknown>;

/** The schemas of a kind or field. One that only parameters or only bodies have lacks the other. */
type Schemas = Readonly<Partial<Record<Medium, z.ZodType>>>;

interface Words {
  /** Name of the parameter among the components of the document. */
  readonly id?: string;
  /** Its description; for each medium if they differ. */
  readonly description?: string | Readonly<Record<Medium, string>>;
  /** Its value in examples, which omit a parameter that has none. */
  readonly example?: (marks: ExampleMarks) => unknown;
}

const EXAMPLES = new WeakMap<z.ZodType, NonNullable<Words['example']>>();

export function required<S extends Schemas>(kind: S, words: Words = {}) {
  return inEachMedium(kind, (schema) => schema.nonoptional(), words) as {
    readonly [M in keyof S]: z.ZodNonOptional<Extract<S[M], z.ZodType>>;
  };
}

export function optional<S extends Schemas>(kind: S, words: Words = {}) {
  return inEachMedium(kind, (schema) => schema.optional(), words) as {
    readonly [M in keyof S]: z.ZodOptional<Extract<S[M], z.ZodType>>;
  };
}

export function withDefault<S extends Schemas>(
  kind: S,
  value: z.output<Extract<S[keyof S], z.ZodType>>,
  words: Words = {},
) {
  // Zod omits the default of a value that is converted.
  const stated = { override: { default: value } };
  return inEachMedium(kind, (schema) => schema.default(value).meta(stated), words) as {
    readonly [M in keyof S]: z.ZodDefault<Extract<S[M], z.ZodType>>;
  };
}

function inEachMedium(
  kind: Schemas,
  make: (schema: z.ZodType) => z.ZodType,
  { id, description, example }: Words,
): Schemas {
  const fields = Object.entries(kind).map(([name, schema]) => {
    const medium = name as Medium;
    const words = typeof description === 'object' ? description[medium] : description;
    const field = make(schema).meta({
      ...(words !== undefined && { description: words }),
      ...(medium === 'text' && id !== undefined && { param: { id } }),
    });
    if (example) EXAMPLES.set(field, example);
    return [medium, field];
  });
  return Object.fromEntries(fields);
}

/** Description of a list, which in a query is a repeated parameter. */
export function several(what: string, more = ''): Readonly<Record<Medium, string>> {
  return { text: `${what}; repeat the parameter for several.${more}`, json: `${what}.${more}` };
}

export function withSchema<S extends Schemas>(kind: S, schema: oas31.SchemaObject): S {
  const schemas = Object.entries(kind).map(([medium, one]) => [
    medium,
    one.meta({ override: { ...(one.meta()?.override as object | undefined), ...schema } }),
  ]);
  return Object.fromEntries(schemas);
}

/** The schema of a path or query with the given fields, which rejects any other by name. */
export function parameters<F extends Readonly<Record<string, { readonly text: z.ZodType }>>>(
  fields: F,
) {
  type Shape = { readonly [N in keyof F]: F[N]['text'] };
  return z.strictObject(shapeOf(fields, 'text') as Shape);
}

export function members<F extends Readonly<Record<string, { readonly json: z.ZodType }>>>(
  fields: F,
) {
  type Shape = { readonly [N in keyof F]: F[N]['json'] };
  return z.strictObject(shapeOf(fields, 'json') as Shape);
}

function shapeOf(fields: Readonly<Record<string, Schemas>>, medium: Medium) {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field[medium]]));
}

export const NONE = parameters({});

/** Returns a parameter's value in examples, and its component; null for one without a value. */
export function exampleOf(parameter: z.ZodType, marks: ExampleMarks) {
  const value = EXAMPLES.get(parameter)?.(marks);
  const { id } = (parameter.meta()?.param ?? {}) as { readonly id?: string };
  return value == null || id === undefined ? null : { id, value };
}

/** Returns the JSON Schema of a value in JSON, for the document's own components and for MCP. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input') {
  const {
    $schema: _,
    '~standard': _standard,
    ...own
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema)?.override);
      delete jsonSchema.override;
    },
  });
  return own as oas31.SchemaObject & Readonly<Record<string, unknown>>;
}
