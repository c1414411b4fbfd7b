import type { FastifyReply, FastifyRequest } from 'fastify';
import { CACHE_CONTROL } from '../../portal/http/cache-control.ts';
import { parseInput } from '../../portal/http/parse-input.ts';
import type { KeyedEndpoint } from '../endpoint.ts';
import { formatFor, JSON_ALONE } from '../formats/negotiate.ts';
import { admit } from '../metering/admission.ts';
import type { ProxyServices } from '../services.ts';

/** A route that needs a key and is never charged, also at a zero balance. */
export function serveKeyed(endpoint: KeyedEndpoint, services: ProxyServices) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    const { balance } = await admit(services.ledger, request, reply);
    const input = parseInput(endpoint, request);
    formatFor(request.headers.accept, JSON_ALONE);
    reply.headers({
      'cache-control': CACHE_CONTROL.never,
      vary: 'Authorization',
      'x-tokens-charged': 0,
      'x-tokens-remaining': balance,
    });
    return endpoint.answer(balance, input);
  };
}
