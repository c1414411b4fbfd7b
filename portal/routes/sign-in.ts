import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { escapeHtml } from '../../proxy/http/html.ts';
import { parseBody } from '../../proxy/http/json-body.ts';
import { Problem } from '../../proxy/http/problem.ts';
import { networkOf, rateSubject } from '../../proxy/http/rate-limiting.ts';
import { CHALLENGE_MINUTES, type ChallengeOutcome } from '../../proxy/ledger/sign-ins.ts';
import { numberWord } from '../../shards/number-words.ts';
import type { Message } from '../mail/mailer.ts';
import {
  MAP_STATE_PATH,
  mailedPage,
  type NextPage,
  nextPageOf,
  nextParameter,
  OWN_PAGE_PATHS,
  PAGE_PATHS,
} from '../page-paths.ts';
import { accountSchema } from '../responses.ts';
import type { PortalServices } from '../services.ts';
import {
  answerWithCode,
  type MailedSecrets,
  mailboxHash,
  newChallenge,
} from '../sign-in/challenge.ts';
import { CODE_DIGITS, LONG_CODE_DIGITS } from '../sign-in/code-digits.ts';
import { isEmailAddress, MAX_WRITTEN, writtenAddress } from '../sign-in/email-address.ts';
import { knownBrowser } from '../sign-in/known-browser.ts';
import { hasTry, returnTry, takeMailTo, takeOne, takeTry, type Wait } from '../sign-in/limits.ts';
import { csrfToken, endedCookie } from '../sign-in/session-cookie.ts';
import { beginSession } from './begin-session.ts';
import type { PortalOperation } from './operation.ts';
import { ACCOUNT_EXAMPLE, ownAccount, WITHHELD_GRANTS } from './own-account.ts';
import { isHttps, requireOwnSite } from './own-site.ts';
import { forChange, forSession } from './signed-in.ts';

/** How long a closing server waits for work in progress. */
const LAST_MS = 5_000;

/** Work that continues after its request has been answered. */
class AfterResponse {
  readonly #running = new Set<Promise<void>>();
  readonly #app: FastifyInstance;

  constructor(app: FastifyInstance) {
    this.#app = app;
    app.addHook('onClose', async () => {
      const late = new Promise((resolve) => setTimeout(resolve, LAST_MS).unref());
      await Promise.race([Promise.all(this.#running), late]);
    });
  }

  /** Starts work once the event loop has flushed its responses. Failures are logged. */
  begin(what: string, work: () => Promise<void>): void {
    const running = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch((error: unknown) => this.#app.log.error({ err: error }, `${what} failed`))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

const email = z
  .string()
  .max(MAX_WRITTEN, { error: 'is too long', abort: true })
  .meta({ format: 'idn-email' })
  .transform(writtenAddress)
  .refine(isEmailAddress, 'is not a single e-mail address such as you@example.org');
const askSchema = z.strictObject({
  email,
  next: z
    .union([z.enum(OWN_PAGE_PATHS), z.string().regex(MAP_STATE_PATH)])
    .transform(nextPageOf)
    .default(PAGE_PATHS.overview)
    .meta({ description: 'The page that the mailed link opens after signing in.' }),
});
const CODE_FORM = `must be the ${CODE_DIGITS} or ${LONG_CODE_DIGITS} digits in the mail`;
const codeSchema = z.strictObject({
  email,
  // May have spaces between groups of three, as shown in the mail.
  code: z
    .string()
    .regex(/^\s*(?:\d{3}\s?){1,3}\d{3}\s*$/, CODE_FORM)
    .transform((code) => code.replaceAll(/\s/g, ''))
    .refine((code) => [CODE_DIGITS, LONG_CODE_DIGITS].includes(code.length), CODE_FORM),
});

export function serveSignIn(app: FastifyInstance, services: PortalServices): void {
  const { ledger, mailBudget, secrets, codeOutcomes, now } = services;
  const afterResponse = new AfterResponse(app);
  const onRequest = async (request: FastifyRequest) => requireOwnSite(request, services);

  /**
   * The response and its timing are the same for every address: work for the address is done
   * afterwards. The account is created at sign-in and not looked up before.
   */
  app.post('/auth/request', { config: { operation: ASK }, onRequest }, async (request, reply) => {
    const asked = parseBody(askSchema, request);
    refuse(await takeOne(ledger, 'sent for client', rateSubject(request.ip), now()));
    refuse(
      await mailBudget.take(request.ip, now()),
      'this service has reached its hourly limit of sign-in messages;',
    );
    const client = { ip: request.ip, browser: browserOf(request, asked.email, services) };
    afterResponse.begin('mailing a code', () => mailCode(asked, client, services));
    return reply.code(202).send({ sent: true });
  });

  app.post(
    '/auth/verify-code',
    { config: { operation: VERIFY }, onRequest },
    async (request, reply) => {
      const answer = parseBody(codeSchema, request);
      const outcome = await tryCode(answer, request, services);
      const what = typeof outcome === 'string' ? outcome : 'refused';
      codeOutcomes.set(what, codeOutcomes.get(what)! + 1);
      if (typeof outcome === 'object') refuse(outcome, triesUsedUp(answer.code));
      if (outcome !== 'right') {
        throw new Problem(
          'invalid-code',
          `the code is wrong, used, replaced by a newer one, or older than ${numberWord(CHALLENGE_MINUTES)} minutes`,
        );
      }
      return ownAccount(await beginSession(request, reply, services, answer.email), services);
    },
  );

  app.get('/auth/csrf', {
    config: { operation: CSRF },
    ...forSession(services, ({ token }) => ({ csrf: csrfToken(secrets.session[0], token) })),
  });

  app.post('/auth/logout', {
    config: { operation: LOGOUT },
    ...forChange(services, async ({ account, session }, _request, reply) => {
      await ledger.endSession(account.id, session.id, now());
      return reply
        .header('set-cookie', endedCookie(isHttps(services)))
        .code(204)
        .send();
    }),
  });
}

const ASK: PortalOperation = {
  operationId: 'requestCode',
  summary: 'Request a sign-in code and link by e-mail',
  description: `The response is the same for every address. Both work once, for ${numberWord(CHALLENGE_MINUTES)} minutes, and replace those mailed before. The code has ${numberWord(CODE_DIGITS)} digits, or, while too many wrong ones are being tried, ${numberWord(LONG_CODE_DIGITS)}. A client that has signed in to the address before, and sends the cookie it got, gets a code that works with that cookie only; the link works anywhere.`,
  tag: 'Sign-in',
  access: 'open',
  body: askSchema,
  bodyExample: { email: 'you@example.org' },
  response: {
    status: 202,
    description: 'A message is on its way, unless the address has been sent too many.',
    schema: z.object({ sent: z.literal(true) }),
    example: { sent: true },
  },
  problems: ['invalid-csrf-token', 'too-many-codes', 'debit-unavailable'],
};

const VERIFY: PortalOperation = {
  operationId: 'verifyCode',
  summary: 'Sign in with a code',
  description: `Starts a session. The first sign-in of an address creates its account, with the sign-up grant. ${WITHHELD_GRANTS}`,
  tag: 'Sign-in',
  access: 'open',
  body: codeSchema,
  bodyExample: { email: 'you@example.org', code: '012345' },
  response: {
    description: 'The signed-in account.',
    setsCookie: true,
    schema: accountSchema,
    example: { ...ACCOUNT_EXAMPLE, membership: null },
  },
  problems: ['invalid-csrf-token', 'invalid-code', 'too-many-codes', 'debit-unavailable'],
};

const CSRF: PortalOperation = {
  operationId: 'csrfToken',
  summary: 'Get the CSRF token',
  description:
    'Send it with every change, in the header `X-CSRF-Token`. It is valid as long as the session.',
  tag: 'Sign-in',
  access: 'session',
  response: {
    description: 'The CSRF token of the session.',
    schema: z.object({ csrf: z.string() }),
    example: { csrf: 'Nq3…' },
  },
};

const LOGOUT: PortalOperation = {
  operationId: 'signOut',
  summary: 'Sign out',
  description: 'Ends the session.',
  tag: 'Sign-in',
  access: 'change',
  response: { status: 204, description: 'The session has ended.', setsCookie: true },
};

/** Mails a new code and link, unless the mailbox has been sent too many. */
async function mailCode(
  { email, next }: z.output<typeof askSchema>,
  { ip, browser }: { readonly ip: string; readonly browser: string | undefined },
  services: PortalServices,
): Promise<void> {
  const { ledger, mailer, mailBudget, secrets, config, now } = services;
  const [secret, nowMs] = [secrets.session[0], now()];
  const mailbox = mailboxHash(secret, email, browser);
  const isKnownNetwork = await isSignedInFrom(networkOf(ip), email, services);
  const client = { ip, mailbox, isKnownBrowser: browser !== undefined, isKnownNetwork };
  if (await takeMailTo(ledger, client, nowMs)) return mailBudget.giveBack(ip);
  const isLong = !(await hasTry(ledger, client, nowMs));
  const { mailed, challenge } = newChallenge(secret, email, nowMs, isLong, browser);
  await ledger.storeChallenge(mailbox, challenge);
  await mailer.send(signInMail(email, mailed, next, config.accountUrl), rateSubject(ip));
}

async function isSignedInFrom(
  network: string,
  email: string,
  { ledger, now }: PortalServices,
): Promise<boolean> {
  const account = await ledger.accountByEmail(email);
  const sessions = account ? await ledger.sessions(account.id, now()) : [];
  return sessions.some(({ address }) => networkOf(address.split('/')[0]) === network);
}

/**
 * Tries a code: in a known browser, first against what that browser requested. Returns the time to
 * wait if no try is left.
 */
async function tryCode(
  answer: z.output<typeof codeSchema>,
  request: FastifyRequest,
  services: PortalServices,
): Promise<ChallengeOutcome | Wait> {
  const { ledger, secrets, now } = services;
  const known = browserOf(request, answer.email, services);
  const isLong = answer.code.length === LONG_CODE_DIGITS;
  let [refused, last]: [Wait | null, ChallengeOutcome] = [null, 'none'];
  for (const browser of known === undefined ? [undefined] : [known, undefined]) {
    const mailbox = mailboxHash(secrets.session[0], answer.email, browser);
    const client = { ip: request.ip, mailbox, isKnownBrowser: browser !== undefined };
    refused = await takeTry(ledger, client, isLong, now());
    if (refused !== null) continue;
    const outcome = await answerWithCode(ledger, secrets.session, answer, now(), browser);
    if (outcome !== 'wrong') await returnTry(ledger, client, isLong, outcome);
    if (outcome === 'right') return outcome;
    if (outcome === 'wrong') last = outcome;
  }
  return refused ?? last;
}

function browserOf(
  { headers }: FastifyRequest,
  email: string,
  services: PortalServices,
): string | undefined {
  return knownBrowser(services.secrets.session, headers.cookie, email, isHttps(services));
}

function triesUsedUp({ length }: string): string {
  const tried = `too many codes of ${numberWord(length)} digits were tried;`;
  if (length === LONG_CODE_DIGITS) return tried;
  return `${tried} request another, which will have ${numberWord(LONG_CODE_DIGITS)},`;
}

function refuse(refused: Wait | null, why = 'too many codes were requested;'): void {
  if (!refused) return;
  const { waitSeconds } = refused;
  throw new Problem(
    'too-many-codes',
    `${why} retry in ${waitSeconds} s, or use the link in the latest message`,
    {},
    { 'retry-after': String(waitSeconds) },
  );
}

/** The sign-in mail: code and link, without tracking. The link continues to `next`. */
export function signInMail(
  to: string,
  { code, linkToken }: MailedSecrets,
  next: NextPage,
  accountUrl: string,
): Message {
  const leadsOn = next === PAGE_PATHS.overview ? '' : `&next=${nextParameter(mailedPage(next))}`;
  const link = `${accountUrl}/auth/verify?token=${linkToken}${leadsOn}`;
  const host = new URL(accountUrl).host;
  const spaced = code.match(/\d{3}/g)!.join(' ');
  const note = `Both work once and expire after ${CHALLENGE_MINUTES} minutes. If you did not request this, ignore this message: no one can sign in without it. Never share this code; we will never ask for it.`;
  return {
    to,
    subject: `Sign in to ${host}`,
    text: [
      `Your code to sign in to ${host}:`,
      `    ${code}`,
      'Or open this link and press the button on the page:',
      link,
      note,
      '',
    ].join('\n\n'),
    html: [
      '<!doctype html><html lang="en"><body style="font:16px/1.6 system-ui,sans-serif">',
      `<p>Your code to sign in to ${escapeHtml(host)}:</p>`,
      `<p style="font-size:28px;letter-spacing:2px"><strong>${spaced}</strong></p>`,
      `<p>Or <a href="${escapeHtml(link)}">open this link</a> and press the button on the page.</p>`,
      `<p>${note}</p>`,
      '</body></html>',
    ].join('\n'),
  };
}
