import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { escapeHtml, plainPage, plainPageHeaders } from '../../proxy/http/html.ts';
import { parseBody } from '../../proxy/http/json-body.ts';
import { Problem } from '../../proxy/http/problem.ts';
import { PROBLEM_TYPES } from '../../proxy/http/problem-types.ts';
import { CHALLENGE_MINUTES } from '../../proxy/ledger/sign-ins.ts';
import { numberWord } from '../../shards/number-words.ts';
import { nextPageOf, PAGE_PATHS } from '../page-paths.ts';
import { accountSchema } from '../responses.ts';
import type { PortalServices } from '../services.ts';
import { answerWithLink } from '../sign-in/challenge.ts';
import { openLink } from '../sign-in/sealed-link.ts';
import { beginSession } from './begin-session.ts';
import type { PortalOperation } from './operation.ts';
import { ACCOUNT_EXAMPLE, ownAccount, WITHHELD_GRANTS } from './own-account.ts';
import { requireOwnSite, wantsPage } from './own-site.ts';

const PATH = '/auth/verify';
/** Room for a state of the map, each character of which may be encoded as three. */
const MAX_FORM_BYTES = 16_384;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const token = z.string().meta({ description: 'The token of the mailed link.' });
const next = z.string().optional().meta({ description: 'The page to open after signing in.' });
const tokenSchema = z.strictObject({ token });

const LOOK: PortalOperation = {
  operationId: 'showLink',
  summary: 'Show the page of a mailed link',
  description: 'The page has a button. Viewing it changes nothing, however often.',
  tag: 'Sign-in',
  access: 'open',
  isLenient: true,
  query: z.object({ token, next }),
  response: {
    description: 'The page with the button.',
    schema: z.string(),
    mediaType: 'text/html',
  },
  problems: ['invalid-link'],
};

const SIGN_IN: PortalOperation = {
  operationId: 'verifyLink',
  summary: 'Sign in with a mailed link',
  description: `The form of that page posts here; programs send JSON with the token alone, or POST the mailed link without a body. Starts a session. The first sign-in of an address creates its account, with the sign-up grant. ${WITHHELD_GRANTS}`,
  tag: 'Sign-in',
  access: 'open',
  isLenient: true,
  query: z.object({ token: token.optional() }),
  body: z.object({ token, next }),
  bodyExample: { token: 'Nq3…' },
  bodyType: FORM_TYPE,
  isBodyOptional: true,
  response: {
    description: 'The signed-in account.',
    setsCookie: true,
    schema: accountSchema,
    example: { ...ACCOUNT_EXAMPLE, membership: null },
  },
  redirect: 'After a form, redirects to a page of the portal.',
  problems: ['invalid-csrf-token', 'invalid-link', 'debit-unavailable'],
};

/**
 * Serves the link in a mail. Mail scanners follow links, so opening it changes nothing, however
 * often, and shows a page with a button. The button posts a form, without a script, and signs in.
 */
export async function serveSignInLink(
  app: FastifyInstance,
  services: PortalServices,
): Promise<void> {
  const { ledger, secrets, config, now } = services;
  await app.register(async (link) => {
    link.addContentTypeParser<string>(
      FORM_TYPE,
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(body)),
    );
    // A person gets a page; a program gets the problem document from the common error handler.
    link.setErrorHandler((error, request, reply) => {
      if (!(error instanceof Problem) || !wantsPage(request)) throw error;
      const { title } = PROBLEM_TYPES[error.slug];
      const again = `<p>${escapeHtml(error.message)}</p><p><a href="${PAGE_PATHS.signIn}">Request another</a></p>`;
      reply.code(error.status).headers(error.headers);
      return sendPage(reply, title, again);
    });

    link.get(PATH, { config: { operation: LOOK } }, async (request, reply) => {
      const { token, next } = request.query as { token?: unknown; next?: unknown };
      const opened = typeof token === 'string' ? openLink(secrets.session, token) : undefined;
      if (!opened) throw wrongLink();
      const { host } = new URL(config.accountUrl);
      return sendPage(
        reply,
        `Sign in to ${host}`,
        `<form method="post" action="${PATH}"><p>You are signing in as <strong>${escapeHtml(opened.email)}</strong>.</p><input type="hidden" name="token" value="${escapeHtml(String(token))}"><input type="hidden" name="next" value="${escapeHtml(nextPageOf(next))}"><button>Sign in</button></form>`,
      );
    });

    const onRequest = async (request: FastifyRequest) => requireOwnSite(request, services);
    link.post(PATH, { config: { operation: SIGN_IN }, onRequest }, async (request, reply) => {
      const { body } = request;
      const isForm = body instanceof URLSearchParams;
      const token = isForm ? (body.get('token') ?? '') : sentToken(request);
      const email = await answerWithLink(ledger, secrets.session, token, now());
      if (email === undefined) throw wrongLink();
      const account = await beginSession(request, reply, services, email);
      return isForm
        ? reply.redirect(nextPageOf(body.get('next')), 303)
        : ownAccount(account, services);
    });
  });
}

function sentToken(request: FastifyRequest): string {
  const { token } = request.query as { token?: unknown };
  if (request.body === undefined && typeof token === 'string') return token;
  return parseBody(tokenSchema, request).token;
}

function sendPage(reply: FastifyReply, title: string, body: string): FastifyReply {
  return reply.headers(plainPageHeaders({ hasForm: true })).send(plainPage(title, body));
}

function wrongLink(): Problem {
  return new Problem(
    'invalid-link',
    `the link is incomplete, has been used, is older than ${numberWord(CHALLENGE_MINUTES)} minutes, or has been replaced by a newer one`,
  );
}
