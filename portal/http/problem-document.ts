import { z } from 'zod';
import { PROBLEMS, type ProblemSlug } from './problem-kinds.ts';

/** A problem as OpenAPI documents describe it. */
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
      description: 'How many more faults there are than `errors` lists.',
    }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem.' });

/** The header that problems of a status have beside those of every answer. */
export const HEADER_OF_STATUS: Readonly<Record<number, 'WWW-Authenticate' | 'Retry-After'>> = {
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
};

/** How a service's document describes its problems. */
interface DescribedProblems {
  /** What `type` begins with. */
  readonly base: string;
  readonly schema: z.ZodType;
  readonly headers: (status: number) => z.ZodObject;
  /** Members that each example has beside the standard ones. */
  readonly members?: (slug: ProblemSlug) => Readonly<Record<string, unknown>>;
}

/** One response a status, with an example of each slug that it may be. */
export function problemResponses(
  slugs: readonly ProblemSlug[],
  { base, schema, headers, members }: DescribedProblems,
) {
  const byStatus = new Map<number, ProblemSlug[]>();
  for (const slug of new Set(slugs)) {
    const { status } = PROBLEMS[slug];
    byStatus.set(status, [...(byStatus.get(status) ?? []), slug]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      String(status),
      {
        description: of.map((slug) => `\`${slug}\`: ${PROBLEMS[slug].title}`).join('. '),
        headers: headers(status),
        content: {
          'application/problem+json': {
            schema,
            examples: Object.fromEntries(
              of.map((slug) => {
                const { title } = PROBLEMS[slug];
                return [
                  slug,
                  { value: { type: `${base}/${slug}`, title, status, ...members?.(slug) } },
                ];
              }),
            ),
          },
        },
      },
    ]),
  );
}
