import type { FastifyRequest } from 'fastify';

/** Whether a client prefers a page: programs get the problem document. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

/** Whether a request is a browser navigation. */
export function isNavigation(request: FastifyRequest): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && wantsPage(request);
}
