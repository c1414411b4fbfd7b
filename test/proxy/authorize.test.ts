import { Socket } from 'node:net';
import fc from 'fast-check';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { hashApiKey, mintApiKey } from '../../proxy/ledger/api-key.ts';
import { type BrowserToken, sealBrowserToken } from '../../proxy/ledger/browser-token.ts';
import type { Admission, Metering } from '../../proxy/ledger/metering.ts';
import { authorize } from '../../proxy/metering/authorize.ts';
import { forAll } from '../support/for-all.ts';

/** The API is mounted under a path of a site. */
const BASE_URL = 'https://site.example/api';
const SECRETS = ['the first secret of browser tokens', 'the second secret of browser tokens'];
const RATE = { limit: 60, remaining: 0, windowSeconds: 60, resetSeconds: 7 };
const ADMITTED: Admission = {
  outcome: 'admitted',
  account: 'acc_1',
  keyId: 'key_1',
  member: false,
  balance: 12,
  rate: RATE,
};

interface Sent {
  readonly authorization?: string | undefined;
  readonly origin?: string | undefined;
  /** `Sec-Fetch-Site`. */
  readonly site?: string;
  readonly host?: string;
  readonly admission?: Admission;
  readonly freeForMembers?: boolean;
  readonly socket?: Socket;
}

/** Authorizes a request; returns the outcome, and the keys and sessions that were looked up. */
async function authorized({
  authorization,
  origin,
  site,
  host,
  admission = ADMITTED,
  ...sent
}: Sent) {
  const looked: unknown[] = [];
  const admit = async (subject: unknown) => {
    looked.push(subject);
    return admission;
  };
  const ledger = { admit, admitSession: admit } as unknown as Metering;
  const headers: Record<string, string> = {};
  const header = (name: string, value: string) => void Object.assign(headers, { [name]: value });
  const reply = { balance: null, rate: null, header } as unknown as FastifyReply;
  const request = {
    raw: { socket: sent.socket ?? new Socket() },
    headers: { authorization, origin, 'sec-fetch-site': site },
    protocol: 'http',
    host: host ?? 'internal:8080',
  } as unknown as FastifyRequest;
  const config = { baseUrl: BASE_URL };
  const authority = { ledger, browserTokenSecrets: () => SECRETS, config };
  const outcome = await authorize(authority, request, reply, sent.freeForMembers).then(
    (request) => ({ request, problem: null }),
    (problem) => ({ request: null, problem }),
  );
  return { ...outcome, looked, balance: reply.balance, rate: reply.rate };
}

const key = mintApiKey();
const spaces = fc.nat(3).map((count) => ' '.repeat(count));
const scheme = fc.constantFrom('Bearer', 'bearer', 'BEARER', 'bEARer');

test('a key is accepted after the word Bearer in any case, with any spaces between and after', () =>
  forAll(100, scheme, spaces, spaces, async (bearer, between, after) => {
    const { request, looked } = await authorized({
      authorization: `${bearer} ${between}${key}${after}`,
    });
    expect(request).toEqual(ADMITTED);
    expect(looked).toEqual([hashApiKey(key)]);
  }));

test('a header without a key, or no header, is missing-key', () =>
  forAll(100, fc.option(scheme), spaces, spaces, async (bearer, before, after) => {
    for (const authorization of [undefined, `${before}${bearer ?? ''}${after}`]) {
      const { problem, looked } = await authorized({ authorization });
      expect(problem).toMatchObject({
        slug: 'missing-key',
        headers: { 'www-authenticate': 'Bearer' },
        message: expect.stringContaining('Authorization: Bearer <API key>'),
      });
      expect(looked).toEqual([]);
    }
  }));

const INVALID = { 'www-authenticate': 'Bearer error="invalid_token"' };
const MISTYPED = 'the key is mistyped, unknown or revoked';
const FORM = 'the header must be Authorization: Bearer <API key>';

test.each([
  [`Basic ${key}`, FORM],
  [key, FORM],
  [`Bearer${key}`, FORM],
  [` Bearer ${key}`, FORM],
  [`Key Bearer ${key}`, FORM],
  [`Bearer ${key} ${key}`, FORM],
  ['Bearer ta_live_nothing', MISTYPED],
  [`Bearer ${key}0`, MISTYPED],
  [`Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, MISTYPED],
  ['Bearer tb_live_', 'the browser token is mistyped or forged'],
  ['Bearer tb_live_AAAA', 'the browser token is mistyped or forged'],
])('refuses "%s" without a look-up', async (authorization, message) => {
  const { problem, looked } = await authorized({ authorization });
  expect(problem).toMatchObject({ slug: 'invalid-key', message, headers: INVALID });
  expect(looked).toEqual([]);
});

test('the balance is stated unless the route is free for the member, and the rate once counted', async () => {
  const rateLimited = { outcome: 'rate-limited', member: false, balance: 12, rate: RATE } as const;
  for (const member of [false, true]) {
    for (const freeForMembers of [false, true]) {
      for (const admission of [
        { ...ADMITTED, member },
        { ...rateLimited, member },
      ]) {
        const { balance, rate, problem } = await authorized({
          authorization: `Bearer ${key}`,
          admission,
          freeForMembers,
        });
        expect(balance).toBe(member && freeForMembers ? null : 12);
        expect(rate).toEqual(RATE);
        const isLimited = admission.outcome === 'rate-limited';
        expect(problem?.slug).toBe(isLimited ? 'rate-limited' : undefined);
      }
    }
  }
  const paid = await authorized({
    authorization: `Bearer ${key}`,
    admission: { ...ADMITTED, member: true },
  });
  expect(paid.balance).toBe(12);
});

test('an unknown key and a disabled account have different problems, neither with a balance', async () => {
  const authorization = `Bearer ${key}`;
  const unknown = await authorized({ authorization, admission: { outcome: 'invalid-key' } });
  expect(unknown.problem).toMatchObject({ slug: 'invalid-key', message: MISTYPED });
  const disabled = await authorized({ authorization, admission: { outcome: 'account-disabled' } });
  expect(disabled.problem).toMatchObject({
    slug: 'account-disabled',
    message: 'this account or key has been disabled',
  });
  for (const { balance, rate } of [unknown, disabled])
    expect([balance, rate]).toEqual([null, null]);
});

test('each request of a connection is authorized by its own header, whatever came before', async () => {
  const socket = new Socket();
  const keys = [mintApiKey(), mintApiKey()];
  for (const one of [0, 0, 1, 1, 0, 1]) {
    const { looked } = await authorized({ authorization: `Bearer ${keys[one]}`, socket });
    expect(looked).toEqual([hashApiKey(keys[one])]);
    const none = await authorized({ authorization: undefined, socket });
    expect(none.problem.slug).toBe('missing-key');
  }
});

const ORIGIN = 'https://maps.example';
const token: BrowserToken = {
  account: 'acc_1',
  session: 'ses_1',
  origin: ORIGIN,
  endsAtMs: Date.now() + 3_600_000,
};
const ofApi = (origin = new URL(BASE_URL).origin) => sealed({ origin });
const sealed = (changes: Partial<BrowserToken> = {}, secret = SECRETS[0]) =>
  `Bearer ${sealBrowserToken([secret], { ...token, ...changes })}`;

test('a browser token works on the API’s own pages, whose GETs have no Origin, by base URL or Host', async () => {
  for (const [origin, host] of [
    [new URL(BASE_URL).origin, 'internal:8080'],
    ['http://localhost:8080', 'localhost:8080'],
  ]) {
    const sent = { authorization: ofApi(origin), site: 'same-origin', host };
    expect((await authorized(sent)).request).toEqual(ADMITTED);
    const { problem } = await authorized({ ...sent, site: 'cross-site' });
    expect(problem).toMatchObject({ slug: 'invalid-key' });
  }
});

test('a browser token is admitted by its session, on pages of its origin, under either secret', async () => {
  for (const secret of SECRETS) {
    const { request, looked } = await authorized({
      authorization: sealed({}, secret),
      origin: ORIGIN,
    });
    expect(request).toEqual(ADMITTED);
    expect(looked).toEqual([{ account: 'acc_1', id: 'ses_1' }]);
  }
});

test.each([
  [
    'the browser token is mistyped or forged',
    { authorization: sealed({}, 'other'), origin: ORIGIN },
  ],
  ['the browser token has expired', { authorization: sealed({ endsAtMs: 1 }), origin: ORIGIN }],
  ['neither an Origin header nor Sec-Fetch-Site', { authorization: sealed() }],
  ['neither an Origin header nor Sec-Fetch-Site', { authorization: sealed(), site: 'same-site' }],
  ['bound to another origin', { authorization: sealed(), site: 'same-origin' }],
  ['bound to another origin', { authorization: ofApi(), site: 'same-origin', origin: ORIGIN }],
  ['bound to another origin', { authorization: sealed(), origin: 'https://other.example' }],
  ['bound to another origin', { authorization: sealed(), origin: '' }],
])('refuses a browser token: %s', async (words, sent) => {
  const { problem, looked } = await authorized(sent);
  expect(problem).toMatchObject({ slug: 'invalid-key', headers: INVALID });
  expect(problem.message).toContain(words);
  expect(looked).toEqual([]);
});

test('the problem of a browser token whose session has ended states so', async () => {
  const { problem } = await authorized({
    authorization: sealed(),
    origin: ORIGIN,
    admission: { outcome: 'invalid-key' },
  });
  expect(problem.message).toBe('the session that requested the browser token has ended');
});
