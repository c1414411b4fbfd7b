import type { LightMyRequestResponse } from 'fastify';
import { expect, inject } from 'vitest';
import { openProxy, type ProxyHarness } from '../support/proxy-harness.ts';
import { PROBLEM_STATUS, type ProblemSlug } from './problems.ts';

export type HttpResponse = LightMyRequestResponse;
export type QueryValue = string | number | boolean | readonly (string | number)[] | undefined;
type Headers = Readonly<Record<string, string>>;

export interface Call {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON; a string is sent verbatim. */
  readonly body?: unknown;
  readonly headers?: Headers;
  /** The client whose key is sent: by default the API's rich customer; `null` sends no key. */
  readonly as?: Customer | null;
}

export interface Customer {
  readonly id: string;
  readonly key: string;
}

/** Secrets that sign cursors: proxies of one service share them. */
const cursorSecrets = ['the secret that all proxies of a test share'];

/** Slugs allowed with a status over 499. Any other slug there is a server error. */
const BACKEND_SLUGS: readonly string[] = ['debit-unavailable', 'store-unavailable'];

/**
 * A proxy on the demo release, called as clients call it. Each response is checked against the
 * contract: it has a request id, is a problem document unless it is a success, shows no internals,
 * and lowers the balance by exactly `X-Tokens-Charged`, which is zero for a failure.
 */
export class Api {
  readonly proxy: ProxyHarness;
  readonly customer: Customer;

  private constructor(proxy: ProxyHarness, customer: Customer) {
    this.proxy = proxy;
    this.customer = customer;
  }

  static async open(
    options: Parameters<typeof openProxy>[1] & { readonly store?: string } = {},
  ): Promise<Api> {
    const { store = inject('demoStore'), config, ...rest } = options;
    const proxy = await openProxy(store, { ...rest, config: { cursorSecrets, ...config } });
    return new Api(proxy, await proxy.customer({ tokens: 1e12 }));
  }

  close(): Promise<void> {
    return this.proxy.close();
  }

  newCustomer(options?: { tokens?: number; member?: boolean }): Promise<Customer> {
    return this.proxy.customer(options);
  }

  get(path: string, query: Call['query'] = {}, rest: Partial<Call> = {}): Promise<HttpResponse> {
    return this.call({ path, query, ...rest });
  }

  post(path: string, body: unknown, rest: Partial<Call> = {}): Promise<HttpResponse> {
    return this.call({ method: 'POST', path, body, ...rest });
  }

  async call({
    method = 'GET',
    path,
    query = {},
    body,
    headers = {},
    as,
  }: Call): Promise<HttpResponse> {
    const asked = as === undefined ? this.customer : as;
    const before = await this.balance(asked);
    const response = await this.proxy.app.inject({
      method,
      url: urlOf(path, query),
      headers: {
        ...(asked === null ? {} : { authorization: `Bearer ${asked.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    expectContract(response, before - (await this.balance(asked)));
    return response;
  }

  async balance(customer: Customer | null = this.customer): Promise<number> {
    return customer === null ? 0 : (await this.proxy.ledger.account(customer.id))!.balance;
  }
}

/** A path with its query: arrays repeat the parameter, as the contract specifies. */
export function urlOf(path: string, query: Readonly<Record<string, QueryValue>> = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`,
    ),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** Checks the invariants of every response, given the decrease of the client's balance. */
export function expectContract(response: HttpResponse, spent: number): void {
  const { statusCode, headers, body } = response;
  expect(headers['x-request-id'], 'X-Request-Id').toBeTruthy();
  expect(headers['access-control-allow-origin'], 'CORS').toBe('*');
  expect(spent, 'what the balance went down by').toBe(Number(headers['x-tokens-charged'] ?? 0));
  if (statusCode < 400) return;
  expect(spent, 'a failure costs nothing').toBe(0);
  expect(body, 'nothing internal').not.toMatch(/node_modules|\.[jt]s:\d|\bat \S+ \(/);
  if (body !== '') slugOf(response);
}

/** The slug of a problem document, which must be valid in every respect. */
export function slugOf({ statusCode, headers, body }: HttpResponse): string {
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  const problem = JSON.parse(body);
  const slug = String(new URL(problem.type).pathname.split('/').at(-1));
  expect(problem).toMatchObject({ title: expect.stringMatching(/\S/), status: statusCode });
  expect(['string', 'undefined']).toContain(typeof problem.detail);
  expect(Object.keys(PROBLEM_STATUS), 'a slug of the contract').toContain(slug);
  expect([slug, statusCode]).toEqual([slug, PROBLEM_STATUS[slug as ProblemSlug]]);
  if (statusCode >= 500) expect(BACKEND_SLUGS, body).toContain(slug);
  if (slug === 'invalid-parameters') {
    expect(problem.errors.length).toBeGreaterThan(0);
    for (const error of problem.errors) {
      expect(error).toEqual({
        loc: expect.any(Array),
        msg: expect.any(String),
        type: expect.any(String),
      });
    }
  }
  if (statusCode === 401) expect(headers['www-authenticate']).toMatch(/^Bearer/);
  if (statusCode === 429 || statusCode === 503) expect(headers['retry-after']).toMatch(/^\d+$/);
  if (statusCode === 405) expect(headers.allow).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  return slug;
}

/** Expects a problem of the given slug and its status in the contract; returns the document. */
export function expectProblem(response: HttpResponse, slug: ProblemSlug) {
  expect([
    response.statusCode,
    response.statusCode < 400 ? response.body : slugOf(response),
  ]).toEqual([PROBLEM_STATUS[slug], slug]);
  return response.json();
}

/** Expects `invalid-parameters` whose `errors` concern `name` alone. */
export function expectInvalid(response: HttpResponse, name: string): void {
  const { errors } = expectProblem(response, 'invalid-parameters');
  for (const { loc } of errors) expect(loc).toContain(name);
}

/** Expects a success that cost `rows` tokens, or `least` if those are more; returns its body. */
export function expectRows(response: HttpResponse, rows: number, least = 1) {
  expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([
    200,
    '',
  ]);
  expect(response.headers['x-tokens-charged']).toBe(String(Math.max(least, rows)));
  expect(response.headers['x-tokens-remaining']).toMatch(/^\d+$/);
  return response.json();
}

/** Expects 200; returns the body. */
export function expectOk(response: HttpResponse) {
  expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([
    200,
    '',
  ]);
  return response.json();
}
