import type { z } from 'zod';
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from 'zod-openapi';
import type { ProblemSlug } from './problem-types.ts';

/** The description of a route, of either server, in its OpenAPI document. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /** Problems in addition to those of every route with the same access. */
  readonly problems: readonly ProblemSlug[];
}

/** The request of an operation as in OpenAPI. */
type DescribedRequest = Pick<
  ZodOpenApiOperationObject,
  'security' | 'requestParams' | 'requestBody'
>;

/** An operation as in OpenAPI, without its responses. */
export function describeRequest(
  { operationId, summary, description, tag }: Operation,
  request: DescribedRequest,
): Omit<ZodOpenApiOperationObject, 'responses'> {
  return { operationId, summary, description, tags: [tag], ...request };
}

/** A header that a document defines once, for all responses that refer to it by `id`. */
export function headerComponent<T extends z.ZodType>(id: string, header: T): T {
  return header.meta({ ...header.meta(), header: { id } });
}

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
