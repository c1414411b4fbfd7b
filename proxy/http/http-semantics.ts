import type { FastifyInstance } from 'fastify';
import { Problem } from './problem.ts';

/** Refuses HTTP/1.1 without a Host: RFC 9112 section 3.2. */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, headers } = request.raw;
    if (headers.host !== undefined || httpVersion !== '1.1') return done();
    const issue = { loc: ['header', 'host'], msg: 'is missing', type: 'missing' };
    done(
      new Problem(
        'invalid-parameters',
        'header.host: is missing',
        { errors: [issue] },
        { connection: 'close' },
      ),
    );
  });
}

/**
 * Answers a request that expects what is not known here as if it did not: RFC 9110 section 10.1.1.
 * Node would answer 417, without a problem document. `100-continue` it keeps to itself.
 */
export function ignoreExpectations(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
}
