import type { FastifyInstance } from 'fastify';
import { CACHE_CONTROL } from './cache-control.ts';
import { escapeHtml, plainPage, plainPageHeaders } from './html.ts';
import { Problem } from './problem.ts';
import { BATCH_FAULTS, PROBLEMS } from './problem-kinds.ts';

const KINDS = { ...PROBLEMS, ...BATCH_FAULTS };

/**
 * Serves a short readable page at each problem's `type`. `helpAt`: the address of whoever can help
 * somebody with a problem, if there is one.
 */
export function serveProblemPages(
  app: FastifyInstance,
  path: string,
  helpAt: (slug: string) => string | undefined = () => undefined,
): void {
  app.get<{ Params: { slug: string } }>(path, async (request, reply) => {
    const { slug } = request.params;
    if (!isSlug(slug)) throw new Problem('not-found', `there is no problem ${slug}`);
    const { status, title, advice } = KINDS[slug];
    reply.headers({
      ...plainPageHeaders({ hasForm: false }),
      'cache-control': CACHE_CONTROL.catalogue,
    });
    const help = helpAt(slug) === undefined ? '' : linkTo(helpAt(slug)!);
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
