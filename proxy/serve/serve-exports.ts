import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EXPORT_ROUTE, type ExportAddress, exportPath, namesOf } from '../exports.ts';
import { CACHE_CONTROL } from '../http/caching.ts';
import { Problem } from '../http/problem.ts';
import type { ProxyServices } from '../services.ts';
import { sendObject } from './send-object.ts';

interface Link {
  Params: ExportAddress;
  Querystring: Record<string, unknown>;
}

/**
 * Serves exported tables by signed links, whole or by byte ranges, until the links expire. Nothing
 * is read before the signature has been checked.
 */
export function serveExports(app: FastifyInstance, services: ProxyServices): void {
  const send = async (request: FastifyRequest<Link>, reply: FastifyReply) => {
    const { expires, signature } = request.query;
    checkLink(services, exportPath(request.params), `${expires}`, `${signature}`);
    const current = services.releases.current;
    const { manifest, object } = namesOf(request.params);
    const found = await services.exports.find(current.store, manifest, ({ byObject }) =>
      byObject.get(object),
    );
    if (!found) {
      throw new Problem('export-not-found', 'the file has been removed; request another link');
    }
    return sendObject(request, reply, services, current, found, {
      cacheControl: CACHE_CONTROL.pinned,
      isCounted: false,
    });
  };
  app.get<Link>(EXPORT_ROUTE, { exposeHeadRoute: false }, send);
  app.head<Link>(EXPORT_ROUTE, send);
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
