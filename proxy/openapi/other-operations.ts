import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { EXPORT_ROUTE } from '../exports.ts';
import { describeRequest } from '../http/openapi.ts';
import type { DocumentedOperation } from '../http/openapi-document.ts';
import type { ProblemResponses } from '../http/problem-docs.ts';
import type { ProblemSlug } from '../http/problem-types.ts';
import { ARCHIVE_PATH } from '../serve/serve-archives.ts';
import { type Access, fileHeaders, kindOf, otherHeaders, problemHeaders } from './headers.ts';
import { problemsOfAccess } from './problems.ts';

const FREE = { access: 'free', cache: 'catalogue' } as const;
const KEYED = { access: 'keyed' } as const;

/** The operations that no endpoint declares: files read by ranges, and the tools for assistants. */
export function otherOperations(problems: ProblemResponses): DocumentedOperation[] {
  const problemsOf = (access: Access, slugs: readonly ProblemSlug[]) =>
    problems.of(slugs, {
      kind: kindOf(access),
      headers: (status) => problemHeaders(access, status),
    });
  const fileProblems = (...own: readonly ProblemSlug[]) =>
    problemsOf(FREE, [
      ...problemsOfAccess(FREE).filter((slug) => slug !== 'not-acceptable'),
      ...own,
      'range-not-satisfiable',
    ]);
  return [
    {
      path: inBraces(ARCHIVE_PATH),
      method: 'get',
      described: {
        ...describeRequest(
          {
            operationId: 'readArchive',
            summary: 'A public archive, whole or by byte ranges',
            description:
              'A tile archive of `GET /v1/meta/tiles`, or block bands or access classes of `GET /v1/meta/block-bands`, ' +
              'at the `url` listed there. Read by ranges, as PMTiles readers do; the content of a name ' +
              'never changes. Large responses count as several requests of the address.',
            tag: 'Isochrones',
          },
          { security: [], requestParams: { path: archive, header: ranges } },
        ),
        responses: {
          ...fileResponses({
            'application/vnd.pmtiles': { schema: bytes },
            'application/octet-stream': { schema: bytes },
          }),
          ...fileProblems('archive-not-found'),
        },
      },
    },
    {
      path: inBraces(EXPORT_ROUTE),
      method: 'get',
      described: {
        ...describeRequest(
          {
            operationId: 'readExport',
            summary: 'An exported table, whole or by byte ranges',
            description:
              'The `url` of a link that `POST /v1/exports/links` created: used unchanged, and without a ' +
              'key, until it expires. A service may link to its bucket instead.',
            tag: 'Exports',
          },
          { security: [], requestParams: { path: exported, query: signed, header: ranges } },
        ),
        responses: {
          ...fileResponses({
            'application/vnd.apache.parquet': { schema: bytes },
            'text/csv': { schema: bytes },
            'application/geo+json': { schema: bytes },
            'application/vnd.flatgeobuf': { schema: bytes },
          }),
          ...fileProblems('link-refused', 'export-not-found'),
        },
      },
    },
    { path: '/mcp', method: 'post', described: callTools(problemsOf) },
  ];
}

function inBraces(route: string): string {
  return route.replaceAll(/:(\w+)/g, '{$1}');
}

const bytes = z.string().meta({ format: 'binary' });

const archive = z.object({
  archive: z.string().meta({ description: 'The last part of a listed `url`.' }),
});
const exported = z.object({ manifestStem: z.string(), file: z.string() });
const signed = z.object({
  expires: z.int().meta({ description: 'When the link expires, in seconds since 1970.' }),
  signature: z.string(),
});
const ranges = z.object({
  Range: z
    .string()
    .optional()
    .meta({ description: 'One range of bytes: `bytes=0-16383`.', param: { id: 'Range' } }),
});

function fileResponses(content: Record<string, { readonly schema: z.ZodType }>) {
  return {
    200: { description: 'The whole file.', headers: fileHeaders(), content },
    206: { description: 'The range.', headers: fileHeaders('Content-Range'), content },
    304: {
      description: 'The `ETag` of `If-None-Match` is that of the file.',
      headers: fileHeaders(),
    },
  };
}

const jsonRpc = z.literal('2.0');
const message = z.looseObject({
  jsonrpc: jsonRpc,
  id: z
    .union([z.string(), z.int()])
    .optional()
    .meta({ description: 'Absent from a notification.' }),
  method: z.string(),
  params: z.looseObject({}).optional(),
});

const answer = z.looseObject({
  jsonrpc: jsonRpc,
  id: z.unknown().meta({ description: 'That of the message; null if it has none.' }),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
});

function callTools(
  problemsOf: (access: Access, slugs: readonly ProblemSlug[]) => ReturnType<ProblemResponses['of']>,
): ZodOpenApiOperationObject {
  const headers = otherHeaders(200);
  const rejected = problemsOf(KEYED, [
    'invalid-parameters',
    'key-in-url',
    'origin-not-allowed',
    'not-acceptable',
    'request-timeout',
    'payload-too-large',
    'unsupported-media-type',
    'rate-limited',
    'internal-error',
    'overloaded',
  ]);
  const invalid = rejected[400];
  return {
    ...describeRequest(
      {
        operationId: 'callTools',
        summary: 'Tools for AI assistants, by the Model Context Protocol',
        description:
          'Streamable HTTP without sessions: one JSON-RPC message a request, or a list of them. ' +
          '`tools/list` describes the tools; a call of one is charged like the requests it makes. A ' +
          'missing or wrong key is an error of the tool, in a response with status 200. Clients of ' +
          'the protocol do all of this.',
        tag: 'Service',
      },
      {
        security: [{ apiKey: [] }],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: message,
              example: { jsonrpc: '2.0', id: 1, method: 'ping' },
            },
          },
        },
      },
    ),
    responses: {
      200: {
        description: 'The response, or the stream of events that ends with it.',
        headers,
        content: {
          'application/json': { schema: answer, example: { jsonrpc: '2.0', id: 1, result: {} } },
          'text/event-stream': { schema: z.string() },
        },
      },
      202: { description: 'The notification was accepted.', headers },
      ...rejected,
      400: {
        description: `${invalid.description}. Or an error of JSON-RPC.`,
        headers: invalid.headers!,
        content: { ...invalid.content, 'application/json': { schema: answer } },
      },
    },
  };
}
