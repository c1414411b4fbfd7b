import type { FastifyInstance } from 'fastify';
import { getOrInsertComputed } from '../../shards/arrays/group-by.ts';
import { changesInWords } from '../../shards/release/notes-in-words.ts';
import type { Release } from '../../shards/release/release.ts';
import { asShown } from '../../shards/shown-text.ts';
import { type StaticResponse, staticResponse } from '../http/caching.ts';
import type { ProxyServices } from '../services.ts';

export const RELEASE_FEED_PATH = '/releases.atom';

/** Serves the releases of the store as a feed (RFC 4287), rendered once per release. */
export function serveReleaseFeed(
  app: FastifyInstance,
  { releases, catalogue, config }: ProxyServices,
): void {
  const rendered = new WeakMap<Release, StaticResponse>();
  app.get(RELEASE_FEED_PATH, async (request, reply) => {
    const response = getOrInsertComputed(rendered, releases.current, (release) =>
      staticResponse(releaseFeed(release, config.baseUrl)),
    );
    reply.type('application/atom+xml; charset=utf-8');
    return catalogue.send(request, reply, response);
  });
}

/** Writes the current release and those before it as an Atom feed; `base` is the API's address. */
export function releaseFeed({ latest, notes }: Release, base: string): string {
  const summary = notes?.changes ? [...changesInWords(notes.changes)] : [];
  const entries = [{ ...latest, summary }, ...(notes?.history ?? [])];
  const lines = entries.map(({ release, manifest, published_at, summary: changes }) => {
    const text =
      changes.length > 0 ? changes.join('. ') : 'The first release, or changes not known';
    return `<entry><id>${idOf(base, manifest)}</id><title>Release ${escaped(release)}</title><updated>${published_at}</updated><link href="${escaped(base)}/v1/meta/vintage"/><summary>${escaped(text)}.</summary></entry>`;
  });
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom"><id>${escaped(base)}${RELEASE_FEED_PATH}</id><title>Releases of travel times</title><updated>${latest.published_at}</updated><author><name>${escaped(new URL(base).host)}</name></author><link rel="self" href="${escaped(base)}${RELEASE_FEED_PATH}"/>`,
    ...lines,
    '</feed>\n',
  ].join('\n');
}

/** An id that stays the same for a manifest, whatever is current. */
function idOf(base: string, manifest: string): string {
  return `${escaped(base)}${RELEASE_FEED_PATH}#${manifest.replace(/^manifests\/|\.json$/g, '')}`;
}

/** Escapes a text, without the control characters that XML has no place for. */
function escaped(text: string): string {
  return asShown(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
