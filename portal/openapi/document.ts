import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { isOptionalBody } from '../../proxy/http/json-body.ts';
import { describeRequest, headerComponent } from '../../proxy/http/openapi.ts';
import { buildDocument } from '../../proxy/http/openapi-document.ts';
import {
  HEADER_OF_STATUS,
  ProblemResponses,
  problemDocument,
} from '../../proxy/http/problem-docs.ts';
import type { ProblemSlug } from '../../proxy/http/problem-types.ts';
import type { PortalOperation, ServedOperation } from '../routes/operation.ts';

const OPEN_PROBLEMS: readonly ProblemSlug[] = [
  'invalid-parameters',
  'key-in-url',
  'internal-error',
];
const PROBLEMS_BY_ACCESS: Readonly<Record<PortalOperation['access'], readonly ProblemSlug[]>> = {
  open: OPEN_PROBLEMS,
  session: [...OPEN_PROBLEMS, 'no-session', 'debit-unavailable'],
  change: [...OPEN_PROBLEMS, 'no-session', 'invalid-csrf-token', 'debit-unavailable'],
};
const BODY_PROBLEMS = ['request-timeout', 'payload-too-large', 'unsupported-media-type'] as const;

const SECURITY: Readonly<Record<PortalOperation['access'], Record<string, string[]>[]>> = {
  open: [],
  session: [{ session: [] }],
  change: [{ session: [], csrf: [] }],
};

const problem = problemDocument
  .extend({
    error: z.string().meta({ description: 'The same as `detail`.' }),
    portal_url: z.url().nullish().meta({
      description: 'For `already-subscribed`: where the membership is managed, if known.',
    }),
  })
  .meta({ id: 'PortalProblem', description: 'RFC 9457 problem.' });

const DESCRIPTION = `Accounts of the Travel-Time Access Service: sign-in, API keys, usage, payment.

Sign in with \`POST /auth/request\` and \`POST /auth/verify-code\`, and keep the cookie. Send the token from \`GET /auth/csrf\` with every change, in the header \`X-CSRF-Token\`. The API that the keys are for has its own document.`;

export function openApiDocument(
  operations: readonly ServedOperation[],
  site: {
    readonly accountUrl: string;
    readonly apiUrl: string;
    readonly problemBase: string;
    readonly version: string;
    readonly cookieName: string;
  },
) {
  const problems = new ProblemResponses({
    base: site.problemBase,
    schema: problem,
    members: () => ({ error: 'What went wrong.' }),
  });
  return buildDocument(
    {
      title: 'Travel-Time Access Service: portal',
      version: site.version,
      description: DESCRIPTION,
      serverUrl: site.accountUrl,
      externalDocs: {
        description: 'The API that the keys are for',
        url: `${site.apiUrl}/openapi.json`,
      },
      tags: [
        { name: 'Sign-in', description: 'Codes by e-mail and sessions.' },
        { name: 'Account', description: 'Balance, usage, sessions, audit trail.' },
        { name: 'Keys', description: 'The API keys of the account.' },
        { name: 'Payment', description: 'Membership and token packs.' },
        { name: 'Service', description: 'The state of the portal.' },
      ],
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: site.cookieName },
          csrf: {
            type: 'apiKey',
            in: 'header',
            name: 'X-CSRF-Token',
            description: 'The token from `GET /auth/csrf`.',
          },
        },
      },
    },
    operations.map((operation) => ({ ...operation, described: described(operation, problems) })),
  );
}

function described(
  operation: ServedOperation,
  problemResponses: ProblemResponses,
): ZodOpenApiOperationObject {
  const { access, params, query, headers, body, bodyExample, bodyType } = operation;
  const { response, redirect, isCounted, isBodyOptional = false, problems = [] } = operation;
  const always = isCounted ? { ...COMMON, ...RATE } : COMMON;
  // A body sent to a change that accepts none is rejected as well.
  const mayHaveBody = body !== undefined || access === 'change';
  const slugs = [
    ...PROBLEMS_BY_ACCESS[access],
    ...(isCounted ? (['rate-limited'] as const) : []),
    ...(mayHaveBody ? BODY_PROBLEMS : []),
    ...problems,
  ];
  const content = { schema: body, example: bodyExample };
  return {
    ...describeRequest(operation, {
      security: SECURITY[access],
      requestParams: {
        ...(params && { path: params }),
        ...(query && { query }),
        ...(headers && { header: headers }),
      },
      ...(body && {
        requestBody: {
          required: !isBodyOptional && !isOptionalBody(body),
          content: { 'application/json': content, ...(bodyType && { [bodyType]: content }) },
        },
      }),
    }),
    responses: {
      [response.status ?? 200]: {
        description: response.description,
        headers: z.object({ ...always, ...(response.setsCookie && COOKIE) }),
        ...(response.schema && {
          content: {
            [response.mediaType ?? 'application/json']: {
              schema: response.schema,
              example: response.example,
            },
          },
        }),
      },
      ...(redirect && {
        303: {
          description: redirect,
          headers: z.object({ ...always, ...LOCATION, ...(response.setsCookie && COOKIE) }),
        },
      }),
      ...problemResponses.of(slugs, {
        kind: isCounted ? '' : 'Uncounted',
        headers: (status) => problemHeaders(always, status),
      }),
    },
  };
}

/** A header that is described once and referenced by name. */
function header<T extends z.ZodType>(name: string, description: string, schema: T): T {
  return headerComponent(name, schema.meta({ description }));
}
const text = (name: string, description: string) => ({
  [name]: header(name, description, z.string()),
});

const COMMON = {
  ...text('X-Request-Id', 'Quote it when you report a problem.'),
  ...text('Cache-Control', 'Who may store the response, and for how long.'),
};
const RATE = {
  ...text('RateLimit', 'Requests left in the window: `"default";r=599;t=60`.'),
  ...text('RateLimit-Policy', 'The limit and its window: `"default";q=600;w=60`.'),
};
const LOCATION = text('Location', 'The address to continue at.');
const COOKIE = {
  'Set-Cookie': header('Set-Cookie', 'The session cookie, or its removal.', z.string().optional()),
};
const OF_PROBLEMS = {
  'WWW-Authenticate': header('WWW-Authenticate', '`Cookie`', z.string()),
  'Retry-After': header('Retry-After', 'Seconds to wait before retrying.', z.int().optional()),
};

function problemHeaders(always: z.ZodRawShape, status: number) {
  const name = HEADER_OF_STATUS[status];
  return z.object({ ...always, ...(name && { [name]: OF_PROBLEMS[name] }) });
}
