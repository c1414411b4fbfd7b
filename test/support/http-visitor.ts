/** A client with a cookie jar that uses a portal over HTTP. */
export class HttpVisitor {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  #cookie = '';

  /** `headers` are sent with each request. */
  constructor(base: string, headers: Readonly<Record<string, string>> = {}) {
    this.#base = base;
    this.#headers = headers;
  }

  async get(path: string): Promise<Response> {
    return this.#send(path, {});
  }

  /** Sends a POST request with the CSRF token of the session, if there is one. */
  async post(path: string, body: object): Promise<Response> {
    return this.#send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(await this.#csrf()) },
    });
  }

  async delete(path: string): Promise<Response> {
    return this.#send(path, { method: 'DELETE', headers: await this.#csrf() });
  }

  async #csrf(): Promise<Record<string, string>> {
    if (this.#cookie === '') return {};
    const response = await this.get('/auth/csrf');
    if (!response.ok) return {};
    const { csrf } = (await response.json()) as { csrf: string };
    return { 'x-csrf-token': csrf };
  }

  async #send(path: string, init: RequestInit & { headers?: Record<string, string> }) {
    const cookie = this.#cookie && { cookie: this.#cookie };
    const headers = { ...this.#headers, ...init.headers, ...cookie };
    const response = await fetch(this.#base + path, { ...init, headers, redirect: 'manual' });
    const [kept] = response.headers.getSetCookie();
    if (kept !== undefined) this.#cookie = /Max-Age=0/.test(kept) ? '' : kept.split(';')[0];
    return response;
  }
}
