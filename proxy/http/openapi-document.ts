import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from 'zod-openapi';

export interface DocumentedOperation {
  /** In OpenAPI syntax: `/keys/{id}`. */
  readonly path: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly described: ZodOpenApiOperationObject;
}

interface DocumentFacts extends Pick<ZodOpenApiObject, 'externalDocs' | 'tags' | 'components'> {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly serverUrl: string;
}

export function buildDocument(
  { title, version, description, serverUrl, components, ...facts }: DocumentFacts,
  operations: readonly DocumentedOperation[],
) {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const { path, method, described } of operations) {
    paths[path] = { ...paths[path], [method]: described };
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: serverUrl }],
      ...facts,
      paths,
      ...(components && { components }),
    },
    {
      // Clients must accept members that are added to responses later.
      override: ({ jsonSchema, io }) => {
        if (io === 'output' && jsonSchema.additionalProperties === false)
          delete jsonSchema.additionalProperties;
      },
    },
  );
  return JSON.parse(JSON.stringify(document), (_, node) => portable(node)) as typeof document;
}

/** The parts of a schema that code generators interpret differently. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

/** Rewrites a schema, whoever wrote it, in the form that all code generators understand. */
function portable(node: unknown): unknown {
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return node;
  return withWidth(withNullAsType(node));
}

/** Replaces a choice between a type and null by a list of two types. */
function withNullAsType(schema: Schema): Schema {
  const { anyOf, ...own } = schema;
  if (anyOf?.length !== 2 || anyOf[1].type !== 'null') return schema;
  const { type, ...value } = anyOf[0];
  if (type === undefined) return schema;
  return {
    ...value,
    ...own,
    type: [...[type].flat(), 'null'],
    ...(value.enum && { enum: [...value.enum, null] }),
  };
}

const MAX_INT32 = 2 ** 31 - 1;

/**
 * Marks numbers that need 64 bits, since the default width is 32 in many languages. Removes
 * JavaScript's safe-integer limits, which Zod emits and the servers do not have.
 */
function withWidth(schema: Schema): Schema {
  const types = [schema.type].flat();
  if (types.includes('number')) return { ...schema, format: 'double' };
  if (!types.includes('integer')) return schema;
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const { minimum: _least, maximum: _most, ...rest } = schema;
  return {
    ...rest,
    ...(minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    ...((maximum > MAX_INT32 || minimum < -MAX_INT32) && { format: 'int64' }),
  };
}
