import type { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { ProblemSlug } from './problem-types.ts';

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /** Problems in addition to those of every route with the same access. */
  readonly problems: readonly ProblemSlug[];
}

type DescribedRequest = Pick<
  ZodOpenApiOperationObject,
  'security' | 'requestParams' | 'requestBody'
>;

export function describeRequest(
  { operationId, summary, description, tag }: Omit<Operation, 'problems'>,
  request: DescribedRequest,
): Omit<ZodOpenApiOperationObject, 'responses'> {
  return { operationId, summary, description, tags: [tag], ...request };
}

/** A header that a document defines once, for all responses that refer to it by `id`. */
export function headerComponent<T extends z.ZodType>(id: string, header: T): T {
  return header.meta({ ...header.meta(), header: { id } });
}
