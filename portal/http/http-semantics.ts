import type { FastifyInstance } from 'fastify';
import { Problem } from './problem.ts';

/** Refuses HTTP/1.1 without a Host, and any request with two: RFC 9112 section 3.2. */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { httpVersion, rawHeaders } = request.raw;
    const hosts = hostsIn(rawHeaders);
    if (hosts === 1 || (hosts === 0 && httpVersion !== '1.1')) return done();
    const [msg, type] = hosts === 0 ? ['is missing', 'missing'] : ['is there twice', 'repeated'];
    done(
      new Problem(
        'invalid-parameters',
        `header.host: ${msg}`,
        { errors: [{ loc: ['header', 'host'], msg, type }] },
        { connection: 'close' },
      ),
    );
  });
}

/** Node's own `headers` keep only the first. */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') hosts++;
  }
  return hosts;
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
