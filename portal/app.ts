import type { FastifyInstance } from 'fastify';
import { StaticResponseSender, staticResponse } from '../proxy/http/caching.ts';
import { handleOptionsRequests } from '../proxy/http/error-handling.ts';
import { securityHeaders } from '../proxy/http/html.ts';
import type { Problem } from '../proxy/http/problem.ts';
import { serveProblemPages } from '../proxy/http/problem-docs.ts';
import { httpServer } from '../proxy/http/server.ts';
import { BROWSER_TOKEN_SECRET } from '../proxy/ledger/browser-token.ts';
import { KeptSecrets } from '../proxy/ledger/kept-secrets.ts';
import type { Ledger } from '../proxy/ledger/ledger.ts';
import { RateWindow } from '../proxy/ledger/rate-window.ts';
import { onDemand } from '../shards/concurrency/on-demand.ts';
import { type PortalConfigInput, portalConfigSchema } from './config.ts';
import { MailBudget } from './mail/mail-budget.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Payment } from './payment/payment.ts';
import { serveAccount } from './routes/account.ts';
import { serveBilling } from './routes/billing.ts';
import { serveBrowserTokens } from './routes/browser-tokens.ts';
import { serveHealth } from './routes/health.ts';
import { serveKeys } from './routes/keys.ts';
import {
  refuseUnknownParameters,
  type ServedOperation,
  servedOperations,
} from './routes/operation.ts';
import { isHttps } from './routes/own-site.ts';
import { servePages } from './routes/pages.ts';
import { serveLlmsText, servePublicConfig } from './routes/public-config.ts';
import { serveSessions } from './routes/sessions.ts';
import { serveSignIn } from './routes/sign-in.ts';
import { serveSignInLink } from './routes/sign-in-link.ts';
import { serveUsage } from './routes/usage.ts';
import type { CodeOutcomes, PortalServices } from './services.ts';
import { cookieName } from './sign-in/session-cookie.ts';
import { SignupGrants } from './sign-in/signup-grants.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Parts of a portal that its metrics read. */
    readonly signupGrants?: SignupGrants;
    readonly mailBudget?: MailBudget;
    readonly codeOutcomes?: CodeOutcomes;
  }
}

/** Maximum size of a request body; Stripe events and forms have limits of their own. */
const MAX_BODY_BYTES = 2 ** 14;

const GROUPS: readonly ((app: FastifyInstance, services: PortalServices) => unknown)[] = [
  serveSignIn,
  serveSignInLink,
  serveSessions,
  serveAccount,
  serveKeys,
  serveBrowserTokens,
  serveUsage,
  serveBilling,
  serveHealth,
  servePublicConfig,
  serveLlmsText,
  servePages,
];

/**
 * Builds the portal over a ledger: accounts, keys, payment and pages. The server does not listen
 * yet.
 */
export async function buildPortal(parts: {
  readonly ledger: Ledger;
  readonly mailer: Mailer;
  readonly payment?: Payment | null;
  readonly config?: PortalConfigInput;
  readonly now?: () => number;
}): Promise<FastifyInstance> {
  const { ledger, mailer, payment = null, now = Date.now } = parts;
  const parsed = portalConfigSchema.parse(parts.config ?? {});
  const config = { ...parsed, problemBase: parsed.problemBase ?? `${parsed.accountUrl}/problems` };
  const sessionSecrets = await KeptSecrets.open(config.sessionSecrets, ledger, 'sessions');
  const tokenSecrets = await KeptSecrets.open(undefined, ledger, BROWSER_TOKEN_SECRET);
  const secrets = {
    get session() {
      return sessionSecrets.all;
    },
    get browserToken() {
      return tokenSecrets.all;
    },
  };
  const mailBudget = new MailBudget(ledger, config.mailsPerHour);
  const signupGrants = new SignupGrants(ledger, config.signupGrants);
  const codeOutcomes: CodeOutcomes = new Map([
    ['right', 0],
    ['wrong', 0],
    ['none', 0],
    ['refused', 0],
  ]);
  const services: PortalServices = {
    ledger,
    mailer,
    mailBudget,
    signupGrants,
    codeOutcomes,
    payment,
    config,
    secrets,
    now,
  };

  const app = httpServer({
    problems: { base: config.problemBase, members: errorMember },
    rates: new RateWindow(config.rateLimitPerMinute),
    trustProxy: config.trustProxy,
    logLevel: config.logLevel,
    maxBodyBytes: MAX_BODY_BYTES,
    setCommonHeaders: securityHeaders({ isHttps: config.accountUrl.startsWith('https:') }),
  });
  app.addHook('onReady', async () =>
    signupGrants.start(now, (error) => app.log.warn({ err: error }, 'crediting delayed grants')),
  );
  app.addHook('onClose', async () => {
    await signupGrants.stop();
    sessionSecrets.close();
    tokenSecrets.close();
  });
  app.decorate('signupGrants', signupGrants);
  app.decorate('mailBudget', mailBudget);
  app.decorate('codeOutcomes', codeOutcomes);
  app.decorateRequest('signedIn', null);
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()]);
  });
  const operations = servedOperations(app);
  refuseUnknownParameters(app);
  for (const serve of GROUPS) await serve(app, services);
  serveDocument(app, operations, services);
  serveProblemPages(app, '/problems/:slug');
  const known = new Map(methods);
  app.knownPaths.add(known);
  handleOptionsRequests(app, known);
  return app;
}

/**
 * Serves `GET /openapi.json`: the portal's operations for programs, generated on the first request.
 * Its modules are loaded once the server listens.
 */
function serveDocument(
  app: FastifyInstance,
  operations: readonly ServedOperation[],
  services: PortalServices,
): void {
  const { config } = services;
  const site = { ...config, cookieName: cookieName(isHttps(services)) };
  const load = onDemand(() => import('./openapi/document.ts'));
  const document = onDemand(async () => {
    const { openApiDocument } = await load();
    return staticResponse(JSON.stringify(openApiDocument(operations, site), null, 2));
  });
  app.addHook('onListen', async () => void (await load()));
  const catalogue = new StaticResponseSender();
  app.get('/openapi.json', async (request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return catalogue.send(request, reply, await document());
  });
}

/** Legacy error member that the portal's clients read. */
function errorMember({ message }: Problem): { error: string } {
  return { error: message };
}
