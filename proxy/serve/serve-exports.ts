import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CACHE_CONTROL } from '../../portal/http/caching.ts';
import { Problem } from '../../portal/http/problem.ts';
import { MANIFESTS } from '../../shards/release/manifests.ts';
import type { ProxyServices } from '../services.ts';
import { sendArchive } from './serve-archives.ts';

/** The route of links to exported tables. */
export const EXPORT_PATH = '/exports/:release/:object';

interface Link {
  Params: { release: string; object: string };
  Querystring: Record<string, unknown>;
}

/**
 * Serves exported tables by signed links, whole or by byte ranges, until they expire. Nothing is
 * read before the signature has been checked.
 */
export function serveExports(app: FastifyInstance, services: ProxyServices): void {
  const send = async (request: FastifyRequest<Link>, reply: FastifyReply) => {
    const { release, object } = request.params;
    const { expires, signature } = request.query;
    checkLink(services, `/exports/${release}/${object}`, `${expires}`, `${signature}`);
    const current = services.releases.current;
    const list = await services.exports.of(current.store, `${MANIFESTS}${release}.json`);
    const found = list.find(({ archive }) => archive.name === `exports/${object}`);
    if (!found) {
      throw new Problem('export-not-found', 'the file has been removed; request another link');
    }
    return sendArchive(request, reply, services, current, found, {
      cacheControl: CACHE_CONTROL.pinned,
      isCounted: false,
    });
  };
  app.get<Link>(EXPORT_PATH, { exposeHeadRoute: false }, send);
  app.head<Link>(EXPORT_PATH, send);
}

const WHOLE_SECONDS = /^\d{1,12}$/;

function checkLink(
  { links }: ProxyServices,
  path: string,
  expires: string,
  signature: string,
): void {
  const isOurs = WHOLE_SECONDS.test(expires) && links.isSigned(path, Number(expires), signature);
  if (!isOurs) throw new Problem('link-refused', 'the link is not one that this service signed');
  if (Number(expires) * 1000 <= Date.now()) {
    throw new Problem('link-refused', 'the link has expired; request another one');
  }
}
