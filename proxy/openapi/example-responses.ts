import { CacheBudget } from '../../shards/concurrency/cost-aware-cache.ts';
import { SHARED } from '../../shards/concurrency/fair-queue.ts';
import { FairSemaphore } from '../../shards/concurrency/fair-semaphore.ts';
import type { Release } from '../../shards/release/release.ts';
import type { Endpoint } from '../endpoint.ts';
import { execute } from '../execute.ts';
import { CursorSealer } from '../http/cursor.ts';
import { LinkSigner } from '../http/signed-links.ts';
import { localRequest } from '../local-request.ts';
import type { Principal } from '../metering/principal.ts';
import { QueryCache } from '../metering/query-cache.ts';
import { ResponseCache } from '../metering/response-cache.ts';
import type { ProxyServices } from '../services.ts';

/** An example request to an endpoint: values by parameter name, or the members of a body. */
export type ExampleRequest = Readonly<Record<string, unknown>>;

/** Secrets for examples only: examples contain no usable cursor or link, and need no ledger. */
const secrets = () => ['the secret of the examples'];

/** The reader of the documents, who needs no key and is charged nothing. */
const READER: Principal = {
  isExempt: true,
  authorize: async () => ({
    outcome: 'admitted',
    account: SHARED,
    keyId: SHARED,
    member: false,
    balance: Number.MAX_SAFE_INTEGER,
    rate: { limit: 0, remaining: 0, windowSeconds: 0, resetSeconds: 0 },
  }),
  reads: () => {},
  hasLeft: () => false,
  deliver: async () => 1,
  report: () => {},
};

/** Executes requests for the reader of the documents, so that examples show real responses. */
export class ExampleResponses {
  readonly #services: ProxyServices;

  /** Nothing is cached, since the cursors of examples have another secret. */
  constructor(services: ProxyServices, release: Release) {
    this.#services = {
      ...services,
      releases: {
        current: release,
        standing: async () => 'current',
        find: async () => release,
        list: () => services.releases.list(),
      },
      cursors: new CursorSealer(secrets),
      links: new LinkSigner(secrets),
      queries: new QueryCache(1),
      responses: new ResponseCache(new CacheBudget(0), 0),
      postSemaphore: new FairSemaphore({ maxConcurrent: 1 }),
    };
  }

  /** Returns the response as JSON; rejects with the problem if there is one. */
  async json(endpoint: Endpoint, request: ExampleRequest): Promise<Record<string, unknown>> {
    return JSON.parse(await this.text(endpoint, request, 'application/json'));
  }

  /** Returns the response as text of a media type; rejects with the problem if there is one. */
  async text(endpoint: Endpoint, values: ExampleRequest, mediaType: string): Promise<string> {
    const request = localRequest(endpoint, values, mediaType);
    const exchange = { request, principal: READER, services: this.#services };
    const { response } = await execute(endpoint, exchange);
    return response.body.whole().toString();
  }
}
