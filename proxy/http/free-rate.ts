import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateWindow } from '../../portal/accounts/rate-window.ts';
import type { Problem } from './problem.ts';
import { rateLimited } from './rate-headers.ts';
import { rateSubject } from './rate-subject.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The ledger counts what comes with a key. */
    keyed?: boolean;
    /** Asked by balancers, which may share an address with clients: counted apart. */
    probe?: boolean;
  }
}

/**
 * Counts every request to what needs no key by its address: the catalogue, health, documents, and
 * what is not there. But preflights: a browser asks them for each URL of a keyed route.
 */
export function limitFreeRoutes(app: FastifyInstance, rates: RateWindow): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.keyed || request.method === 'OPTIONS') return done();
    done(overRate(rates, request, reply));
  });
}

/** Counts a request by its address; the problem if that is one too many. */
export function overRate(
  rates: RateWindow,
  request: FastifyRequest,
  reply: FastifyReply,
): Problem | undefined {
  const subject = rateSubject(request.ip);
  const isProbe = request.routeOptions.config.probe === true;
  const { allowed, rate } = rates.take(isProbe ? `probe ${subject}` : subject, Date.now());
  if (!allowed) return rateLimited(reply, rate);
  reply.rate = rate;
  return undefined;
}
