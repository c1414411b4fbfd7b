import { STATUS_CODES } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ZodOpenApiExampleObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { getOrInsertComputed, groupBy } from '../../shards/arrays/group-by.ts';
import { CACHE_CONTROL } from './caching.ts';
import { escapeHtml, plainPage, plainPageHeaders } from './html.ts';
import { Problem } from './problem.ts';
import { BATCH_FAULTS, PROBLEM_TYPES, type ProblemSlug } from './problem-types.ts';

export const problemDocument = z
  .looseObject({
    type: z.url().meta({ description: 'Its last path segment is the stable slug.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    errors: z
      .array(
        z.object({
          loc: z.array(z.union([z.string(), z.int()])),
          msg: z.string(),
          type: z.string(),
        }),
      )
      .max(20)
      .optional(),
    errors_omitted: z.int().min(1).optional().meta({
      description:
        'Number of further errors that `errors` does not list, at least: of the wrong items of a list, or unknown members, the first 100 are counted.',
    }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem.' });

export const HEADER_OF_STATUS: Readonly<Record<number, 'WWW-Authenticate' | 'Retry-After'>> = {
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
};

interface DescribedProblems {
  readonly base: string;
  readonly schema: z.ZodType;
  readonly members?: (slug: ProblemSlug) => Readonly<Record<string, unknown>>;
}

interface ResponseGroup {
  readonly kind: string;
  readonly headers: (status: number) => z.ZodObject;
}

/**
 * Maximum length of a component name; longer ones are unreadable, so such a response is inlined.
 */
const LONGEST_NAME = 60;

/**
 * Problem responses of a document: one per status, with an example of each possible slug. Equal
 * responses share one component.
 */
export class ProblemResponses {
  readonly #described: DescribedProblems;
  readonly #examples = new Map<ProblemSlug, ZodOpenApiExampleObject>();
  readonly #responses = new Map<string, ZodOpenApiResponseObject>();

  constructor(described: DescribedProblems) {
    this.#described = described;
  }

  of(
    slugs: readonly ProblemSlug[],
    group: ResponseGroup,
  ): Readonly<Record<string, ZodOpenApiResponseObject>> {
    const byStatus = groupBy(new Set(slugs), (slug) => PROBLEM_TYPES[slug].status);
    return Object.fromEntries(
      [...byStatus].map(([status, of]) => [String(status), this.#response(status, of, group)]),
    );
  }

  #response(
    status: number,
    slugs: readonly ProblemSlug[],
    { kind, headers }: ResponseGroup,
  ): ZodOpenApiResponseObject {
    const id = `${kind}${nameOf(status, slugs)}`;
    return getOrInsertComputed(this.#responses, id, () => {
      const examples = Object.fromEntries(slugs.map((slug) => [slug, this.#example(slug)]));
      return {
        description: slugs.map((slug) => `\`${slug}\`: ${PROBLEM_TYPES[slug].title}`).join('. '),
        headers: headers(status),
        content: { 'application/problem+json': { schema: this.#described.schema, examples } },
        ...(id.length <= LONGEST_NAME && { id }),
      };
    });
  }

  #example(slug: ProblemSlug): ZodOpenApiExampleObject {
    const { base, members } = this.#described;
    const { title, status } = PROBLEM_TYPES[slug];
    const value = { type: `${base}/${slug}`, title, status, ...members?.(slug) };
    return getOrInsertComputed(this.#examples, slug, (id) => ({ id, value }));
  }
}

/** Problems of every request, which are left out of a response's name. */
const OF_ANY_REQUEST: readonly ProblemSlug[] = ['invalid-parameters', 'key-in-url'];

/** A name for a response: its slugs, or the name of its status. */
function nameOf(status: number, slugs: readonly ProblemSlug[]): string {
  const own = slugs.filter((slug) => !OF_ANY_REQUEST.includes(slug));
  if (own.length === 0) return STATUS_CODES[status]!.replaceAll(/\W/g, '');
  return own.map(pascalCase).join('Or');
}

function pascalCase(slug: string): string {
  return slug.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}

const KINDS = { ...PROBLEM_TYPES, ...BATCH_FAULTS };

/**
 * Serves a short readable page at each problem's `type`, and the same text as Markdown at `type`
 * with `.md`. `helpAt`: returns an address that helps with a problem, if any.
 */
export function serveProblemPages(
  app: FastifyInstance,
  path: string,
  helpAt: (slug: string) => string | undefined = () => undefined,
): void {
  app.get<{ Params: { slug: string } }>(path, async (request, reply) => {
    const [, slug, extension] = /^(.*?)(\.md)?$/s.exec(request.params.slug)!;
    if (!isSlug(slug)) throw new Problem('not-found', `unknown problem ${slug}`);
    const { status, title, advice } = KINDS[slug];
    const helpUrl = helpAt(slug);
    if (extension !== undefined) {
      reply.headers({
        'content-type': 'text/markdown; charset=utf-8',
        'cache-control': CACHE_CONTROL.catalogue,
      });
      const help = helpUrl === undefined ? [] : [`Keys and tokens: <${helpUrl}>`];
      const parts = [`# ${title}`, `\`${slug}\`, HTTP status ${status}`, advice, ...help];
      return `${parts.join('\n\n')}\n`;
    }
    reply.headers({
      ...plainPageHeaders({ hasForm: false }),
      'cache-control': CACHE_CONTROL.catalogue,
    });
    const help = helpUrl === undefined ? '' : linkTo(helpUrl);
    return plainPage(
      title,
      `<p><code>${slug}</code>, HTTP status ${status}</p><p>${escapeHtml(advice)}</p>${help}`,
    );
  });
}

function linkTo(url: string): string {
  const address = escapeHtml(url);
  return `<p>Keys and tokens: <a href="${address}">${address}</a></p>`;
}

function isSlug(text: string): text is keyof typeof KINDS {
  return Object.hasOwn(KINDS, text);
}
