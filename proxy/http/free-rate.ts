import type { FastifyInstance } from 'fastify';
import type { RateWindow } from '../../portal/accounts/rate-window.ts';
import { rateLimited } from './rate-headers.ts';
import { rateSubject } from './rate-subject.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The ledger counts what comes with a key. */
    keyed?: boolean;
  }
}

/**
 * Counts every request to what needs no key by its address: the catalogue, health, documents, and
 * what is not there. But preflights: a browser asks them for each URL of a keyed route.
 */
export function limitFreeRoutes(app: FastifyInstance, rates: RateWindow): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.keyed || request.method === 'OPTIONS') return done();
    const { allowed, rate } = rates.take(rateSubject(request.ip), Date.now());
    if (!allowed) return done(rateLimited(reply, rate));
    reply.rate = rate;
    done();
  });
}
