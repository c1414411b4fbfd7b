import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { buildPortal } from '../../portal/app.ts';
import type { PortalConfigInput } from '../../portal/config.ts';
import type { Mailer, Message } from '../../portal/mail/mailer.ts';
import type { Payment } from '../../portal/payment/payment.ts';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';

export interface PortalHarness {
  readonly app: FastifyInstance;
  readonly ledger: Ledger;
  /** Mails sent, oldest first. */
  readonly mails: Message[];
  /** The portal's clock: real time plus an offset set by a test. */
  readonly clock: { aheadMs: number };
  /** Waits for the next mail to an address, after the first `had` mails to it. */
  nextMail(to: string, had: number): Promise<Message>;
  /** A browser, or a client with a cookie jar, that is not signed in yet. */
  visitor(options?: VisitorOptions): Visitor;
  close(): Promise<void>;
}

export interface VisitorOptions {
  readonly address?: string;
  readonly headers?: Record<string, string>;
}

export interface Visitor {
  /** Cookie of the visitor, as `name=value`. */
  cookie: string | undefined;
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  post(
    url: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
  /** Sends a state-changing request with the session's CSRF token. */
  change(method: 'POST' | 'DELETE', url: string, body?: object): Promise<LightMyRequestResponse>;
  csrf(): Promise<string>;
  /** Requests a code; returns the code and the link's token from the mail. */
  ask(email: string): Promise<{ code: string; token: string }>;
  /** Requests a code and signs in with it. */
  signIn(email: string): Promise<LightMyRequestResponse>;
}

/** The slug of a problem document. */
export function slugOf(response: LightMyRequestResponse): string | undefined {
  return response.json().type.split('/').at(-1);
}

/** Opens a portal over a fresh SQLite ledger, without a socket and with its mails in memory. */
export async function openPortal(
  options: {
    config?: PortalConfigInput;
    payment?: (ledger: Ledger) => Payment;
    mailer?: Mailer;
    /** An already open ledger, which stays open. */
    ledger?: Ledger;
  } = {},
): Promise<PortalHarness> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-portal-'));
  const ledger =
    options.ledger ?? (await openLedger(`sqlite:${folder}`, { rateLimitPerMinute: 1_000_000 }));
  const mails: Message[] = [];
  const clock = { aheadMs: 0 };
  const inMemory: Mailer = {
    send: async (message) => void mails.push(message),
    close: async () => {},
  };
  const app = await buildPortal({
    ledger,
    mailer: options.mailer ?? inMemory,
    payment: options.payment?.(ledger),
    config: {
      rateLimitPerMinute: 1_000_000,
      logLevel: 'silent',
      signupGrants: { perDay: 1e6, perNetwork: 1e6, perDomain: 1e6 },
      ...options.config,
    },
    now: () => Date.now() + clock.aheadMs,
  });
  const nextMail = async (to: string, had: number) => {
    for (let waited = 0; waited < 2_000; waited++) {
      const found = mails.filter((mail) => mail.to === to)[had];
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`no mail came to ${to}`);
  };
  return {
    app,
    ledger,
    mails,
    clock,
    nextMail,
    visitor: (visitor) => visitorOf(app, mails, nextMail, visitor),
    async close() {
      await app.close();
      if (!options.ledger) await ledger.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function visitorOf(
  app: FastifyInstance,
  mails: readonly Message[],
  nextMail: PortalHarness['nextMail'],
  { address = '127.0.0.1', headers: always = {} }: VisitorOptions = {},
): Visitor {
  const send = async (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    payload: object | undefined,
    headers: Record<string, string>,
  ) => {
    const response = await app.inject({
      method,
      url,
      remoteAddress: address,
      ...(payload && { payload }),
      headers: { ...always, ...(visitor.cookie && { cookie: visitor.cookie }), ...headers },
    });
    const [kept] = [response.headers['set-cookie'] ?? []].flat();
    if (kept !== undefined) visitor.cookie = /Max-Age=0/.test(kept) ? '' : kept.split(';')[0];
    return response;
  };
  const visitor: Visitor = {
    cookie: undefined,
    get: (url, headers = {}) => send('GET', url, undefined, headers),
    post: (url, body, headers = {}) => send('POST', url, body, headers),
    async change(method, url, body) {
      return send(method, url, body, { 'x-csrf-token': await visitor.csrf() });
    },
    csrf: async () => (await visitor.get('/auth/csrf')).json().csrf,
    async ask(email) {
      const had = mails.filter(({ to }) => to === email).length;
      const asked = await visitor.post('/auth/request', { email });
      if (asked.statusCode !== 202) throw new Error(asked.body);
      const { text } = await nextMail(email, had);
      return { code: /^ *(\d{6}|\d{12})$/m.exec(text)![1], token: /token=([\w-]+)/.exec(text)![1] };
    },
    async signIn(email) {
      const { code } = await visitor.ask(email);
      return visitor.post('/auth/verify-code', { email, code });
    },
  };
  return visitor;
}
