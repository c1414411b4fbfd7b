import type { FastifyInstance } from 'fastify';
import { buildPortal } from '../portal/app.ts';
import type { Mailer } from '../portal/mail/mailer.ts';
import type { OpenPayment, PaymentSettings } from '../portal/payment/open-payment.ts';
import { closeGracefully } from '../proxy/http/graceful-shutdown.ts';
import type { Ledger } from '../proxy/ledger/ledger.ts';
import { onDemand } from '../shards/concurrency/on-demand.ts';
import { UsageError } from './errors.ts';
import { type Endpoint, localUrl, settledPort, whereabouts } from './listen.ts';
import { MailCalls } from './observe/backend-calls.ts';
import { type MetricsServer, serveMetrics } from './observe/metrics-server.ts';
import type { PortalSettings } from './settings/portal-server.ts';

export interface PortalServing {
  readonly app: FastifyInstance;
  /** URL of the portal on this machine, such as `http://127.0.0.1:8081`. */
  readonly address: string;
  /** Text for the user on where the portal can be reached. */
  readonly whereabouts: string;
  /** Address of the portal's metrics; null if they are not served. */
  readonly metricsAddress: string | null;
  close(): Promise<void>;
}

/** Settles a portal's port and address, for callers that need them before it listens. */
export async function settlePortal(
  settings: PortalSettings,
): Promise<{ readonly at: Endpoint; readonly accountUrl: string }> {
  const at = { host: settings.host, port: await settledPort(settings) };
  return { at, accountUrl: settings.portal.accountUrl ?? localUrl(at) };
}

/** Opens the portal over a ledger, and listens. `addRoutes` adds routes specific to this start. */
export async function servePortal(
  settings: PortalSettings,
  ledger: Ledger,
  addRoutes: (app: FastifyInstance) => void = () => {},
): Promise<PortalServing> {
  const { at, accountUrl } = await settlePortal(settings);
  const address = localUrl(at);
  const payment =
    settings.stripe && (await openCheckedPayment(settings.stripe, ledger, accountUrl));
  const mails = new MailCalls();
  const lateMailer = openMailer(settings.mail);
  const mailer = mails.watch(lateMailer);
  let app: FastifyInstance | undefined;
  let metrics: MetricsServer | undefined;
  let paymentFailures = 0;
  const close = async () => {
    if (app) await closeGracefully(app);
    await payment?.close();
    await mailer.close();
    await metrics?.close();
  };
  try {
    const config = { ...settings.portal, accountUrl };
    const built = await buildPortal({ ledger, mailer, payment, config });
    app = built;
    addRoutes(built);
    if (settings.metricsPort !== null) {
      // Loaded on demand, like the metrics of the API.
      const { portalMetrics } = await import('./observe/portal-metrics.ts');
      const parts = { app: built, mails, paymentFailures: () => paymentFailures };
      metrics = await serveMetrics(portalMetrics(parts), {
        port: settings.metricsPort,
        host: settings.host,
      });
    }
    await built.listen(at);
    lateMailer.load().catch((error) => built.log.error({ err: error }, 'mail'));
    payment?.start((error, event) => {
      paymentFailures++;
      built.log.error({ err: error, event }, 'payment');
    });
    return {
      app: built,
      address,
      metricsAddress: metrics?.address ?? null,
      close,
      whereabouts: whereabouts(accountUrl, at),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens payment. Throws a `UsageError` if the price is not that of the membership, since customers
 * would pay it and get nothing.
 */
async function openCheckedPayment(
  settings: PaymentSettings,
  ledger: Ledger,
  accountUrl: string,
): Promise<OpenPayment> {
  // Imported here because Stripe’s library is slow to load, and most commands do not need it.
  const { openPayment } = await import('../portal/payment/open-payment.ts');
  const payment = openPayment({ settings, ledger, accountUrl });
  const fault = await payment.priceFault();
  if (fault !== null) throw new UsageError(`settings: STRIPE_MEMBERSHIP_PRICE: ${fault}`);
  return payment;
}

/** Opens the mailer of the settings. Its library is loaded by `load`, or for the first mail. */
function openMailer(settings: PortalSettings['mail']): Mailer & { load(): Promise<Mailer> } {
  let loaded: Mailer | undefined;
  const load = onDemand(async () => {
    loaded = await loadMailer(settings);
    return loaded;
  });
  return {
    load,
    async send(message, clientId) {
      await (await load()).send(message, clientId);
    },
    async close() {
      await loaded?.close();
    },
  };
}

async function loadMailer({ smtpUrl, from, folder }: PortalSettings['mail']): Promise<Mailer> {
  const sender = from ?? 'Travel-Time Access Service <no-reply@localhost>';
  if (smtpUrl === null) {
    const { folderMailer } = await import('../portal/mail/folder-mailer.ts');
    return folderMailer(folder, sender);
  }
  const { smtpMailer } = await import('../portal/mail/smtp-mailer.ts');
  return smtpMailer(smtpUrl, sender);
}
