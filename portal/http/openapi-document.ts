import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from 'zod-openapi';

/** An operation of a document, and where it is served. */
export interface DocumentedOperation {
  /** In OpenAPI syntax: `/keys/{id}`. */
  readonly path: string;
  readonly method: 'get' | 'head' | 'post' | 'delete';
  readonly described: ZodOpenApiOperationObject;
}

/** The facts of a document besides its operations. */
interface DocumentFacts extends Pick<ZodOpenApiObject, 'externalDocs' | 'tags' | 'components'> {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly serverUrl: string;
}

/** Builds an OpenAPI 3.1 document from the schemas used for validation. */
export function buildDocument(
  { title, version, description, serverUrl, components, ...facts }: DocumentFacts,
  operations: readonly DocumentedOperation[],
) {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const { path, method, described } of operations) {
    paths[path] = { ...paths[path], [method]: described };
  }
  return createDocument(
    {
      openapi: '3.1.0',
      info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: serverUrl }],
      ...facts,
      paths,
      ...(components && { components }),
    },
    { override: ({ jsonSchema }) => withoutSafeBounds(jsonSchema) },
  );
}

/** Removes JavaScript's safe-integer limits, which Zod emits and the servers do not have. */
function withoutSafeBounds(schema: { maximum?: number | undefined; minimum?: number | undefined }) {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
