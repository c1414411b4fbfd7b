import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseForm } from './form.ts';
import type { StripeEvent } from './objects.ts';
import { type SignedEvent, signed } from './signature.ts';
import { ApiError, respondTo } from './stripe-api.ts';
import { StripeBooks } from './stripe-books.ts';

/**
 * Failure modes of the stand-in: errors, no response at all, or a response that arrives a byte at a
 * time.
 */
export type Fault = 'none' | 'error' | 'stall' | 'drip';

export interface StripeStandIn {
  readonly books: StripeBooks;
  readonly address: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Method and path of the requests, oldest first. */
  readonly requests: string[];
  fault: Fault;
  /** Permanent faults of requests, by method and path: an error status, or no response. */
  readonly faultAt: Map<string, 400 | 403 | 500 | 'stall'>;
  /** Number of upcoming requests that fail. */
  failing: number;
  /**
   * Runs a callback once, just before or after the next request with this method and path is
   * handled.
   */
  when(request: string, at: 'before' | 'after', act: () => Promise<void>): void;
  /** Signs an event now, or at another time. */
  sign(event: StripeEvent, atSeconds?: number): SignedEvent;
  close(): Promise<void>;
}

/** A Stripe account over HTTP on the loopback, for Stripe's own library to use. */
export async function openStripeStandIn(): Promise<StripeStandIn> {
  const books = new StripeBooks();
  const kept = new Map<string, { asked: string; status: number; text: string }>();
  const server = createServer(
    (request, response) => void respond(request, response).catch(() => response.destroy()),
  );
  let meanwhile: { request: string; at: 'before' | 'after'; act: () => Promise<void> } | undefined;
  const doMeanwhile = async (request: string, at: 'before' | 'after') => {
    if (meanwhile?.request !== request || meanwhile.at !== at) return;
    const { act } = meanwhile;
    meanwhile = undefined;
    await act();
  };
  const standIn: StripeStandIn = {
    books,
    secretKey: 'sk_test_stand_in',
    webhookSecret: 'whsec_stand_in',
    requests: [],
    fault: 'none',
    failing: 0,
    faultAt: new Map(),
    address: await listen(),
    when(request, at, act) {
      meanwhile = { request, at, act };
    },
    sign: (event, atSeconds = books.now) => signed(event, standIn.webhookSecret, atSeconds),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return standIn;

  function listen(): Promise<string> {
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      });
    });
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url!, 'http://stand-in');
    const method = request.method!;
    standIn.requests.push(`${method} ${pathname}`);
    const body = (await request.setEncoding('utf8').toArray()).join('');
    const faultHere = standIn.faultAt.get(`${method} ${pathname}`);
    if (standIn.fault === 'stall' || faultHere === 'stall') return;
    await doMeanwhile(`${method} ${pathname}`, 'before');
    const fails = standIn.fault === 'error' || standIn.failing > 0;
    if (standIn.failing > 0) standIn.failing--;
    const asked = faultHere ? () => refused(new ApiError(faultHere, 'not this one')) : once;
    const said = fails ? OUT_OF_ORDER : asked(request, `${method} ${pathname} ${body}`, act);
    await doMeanwhile(`${method} ${pathname}`, 'after');
    response.writeHead(said.status, { 'content-type': 'application/json', 'request-id': 'req_1' });
    if (standIn.fault === 'drip') drip(response);
    else response.end(said.text);

    function act() {
      if (request.headers.authorization !== `Bearer ${standIn.secretKey}`) {
        throw new ApiError(401, 'Invalid API Key provided');
      }
      const form = parseForm(method === 'GET' ? search.slice(1) : body);
      return respondTo(books, method, pathname, form);
    }
  }

  /**
   * Returns the first response again for a repeated idempotency key, which must come with the same
   * request.
   */
  function once(request: IncomingMessage, asked: string, act: () => object) {
    const key = request.headers['idempotency-key'];
    const before = typeof key === 'string' ? kept.get(key) : undefined;
    if (before) {
      return before.asked === asked ? before : refused(new ApiError(400, 'other parameters'));
    }
    const said = said200(act);
    if (typeof key === 'string' && said.status < 500) kept.set(key, { asked, ...said });
    return said;
  }
}

const OUT_OF_ORDER = {
  status: 500,
  text: JSON.stringify({ error: { type: 'api_error', message: 'out of order' } }),
};

function said200(act: () => object): { status: number; text: string } {
  try {
    return { status: 200, text: JSON.stringify(act()) };
  } catch (error) {
    if (error instanceof ApiError) return refused(error);
    throw error;
  }
}

function refused({ status, body }: ApiError): { status: number; text: string } {
  return { status, text: JSON.stringify(body) };
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 200);
  response.on('close', () => clearInterval(timer));
}
