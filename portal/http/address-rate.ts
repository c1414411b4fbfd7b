import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateCounter } from '../accounts/rate-window.ts';
import type { Problem } from './problem.ts';
import { rateLimited } from './rate-headers.ts';
import { rateSubject } from './rate-subject.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The ledger counts what comes with a key. */
    keyed?: boolean;
    /** Signed by the one who may send it, who may send much: a forged one costs a hash. */
    signed?: boolean;
    /** Asked by balancers, which may share an address with clients: not counted. */
    probe?: boolean;
  }
}

/**
 * Counts every request to what needs no key by its address: the catalogue, documents, and what is not
 * there. But preflights: a browser asks them for each URL of a keyed route; and probes.
 */
export function limitByAddress(app: FastifyInstance, rates: RateCounter): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { keyed, signed, probe } = request.routeOptions.config;
    if (keyed || signed || probe || request.method === 'OPTIONS') return done();
    overRate(rates, request, reply).then(done, done);
  });
}

/** Counts a request by its address; the problem if that is one too many. */
async function overRate(
  rates: RateCounter,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Problem | undefined> {
  const { allowed, rate } = await rates.take(rateSubject(request.ip), Date.now());
  if (!allowed) return rateLimited(reply, rate);
  reply.rate = rate;
  return undefined;
}
