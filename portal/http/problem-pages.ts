import type { FastifyInstance } from 'fastify';
import { CACHE_CONTROL } from './cache-control.ts';
import { escapeHtml, plainPage, plainPageHeaders } from './html.ts';
import { Problem } from './problem.ts';
import { BATCH_FAULTS, PROBLEMS } from './problem-kinds.ts';

const KINDS = { ...PROBLEMS, ...BATCH_FAULTS };

/** Serves a short readable page at each problem's `type`. */
export function serveProblemPages(app: FastifyInstance, path: string): void {
  app.get<{ Params: { slug: string } }>(path, async (request, reply) => {
    const { slug } = request.params;
    if (!isSlug(slug)) throw new Problem('not-found', `there is no problem ${slug}`);
    const { status, title, advice } = KINDS[slug];
    reply.headers({
      ...plainPageHeaders({ hasForm: false }),
      'cache-control': CACHE_CONTROL.catalogue,
    });
    return plainPage(
      title,
      `<p><code>${slug}</code>, HTTP status ${status}</p><p>${escapeHtml(advice)}</p>`,
    );
  });
}

function isSlug(text: string): text is keyof typeof KINDS {
  return Object.hasOwn(KINDS, text);
}
