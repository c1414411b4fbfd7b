import { createTransport } from 'nodemailer';
import { type ClientId, SHARED } from '../../shards/concurrency/fair-queue.ts';
import { FairSemaphore } from '../../shards/concurrency/fair-semaphore.ts';
import { AddressRefused, headersOf, type Mailer, type Message } from './mailer.ts';

/** Timeouts of each step with a mail server, as nodemailer names them. */
const TIMEOUTS_MS = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
} as const;
/** Timeout of a mail, including its wait for a connection. */
const MAIL_TIMEOUT_MS = 60_000;
const CONNECTIONS = 4;
/** Maximum number of waiting mails: more than are sent in a minute. */
const MAX_WAITING = 1_000;
/** Maximum number of waiting mails if the next is the only one of its client. */
const MAX_WAITING_OF_NEW_CLIENTS = 10_000;

/**
 * Sends through a mail server, `smtp://user:password@host:port` or `smtps://…`, over a few
 * persistent connections. Clients take turns, each on at most half of the connections. Mails that
 * wait too long, or behind too many others, are rejected; the limit is higher for a client without
 * other waiting mails.
 */
export function smtpMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: CONNECTIONS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS_MS,
  });
  const semaphore = new FairSemaphore({
    maxConcurrent: CONNECTIONS,
    maxPerClient: CONNECTIONS / 2,
  });
  const waitingOf = new Map<ClientId, number>();
  let waiting = 0;
  return {
    async send(message: Message, clientId = SHARED) {
      const own = waitingOf.get(clientId) ?? 0;
      if (waiting >= (own > 0 ? MAX_WAITING : MAX_WAITING_OF_NEW_CLIENTS)) {
        throw new Error(`${waiting} mails wait already, ${own} of ${clientId}`);
      }
      waiting++;
      waitingOf.set(clientId, own + 1);
      const signal = AbortSignal.timeout(MAIL_TIMEOUT_MS);
      try {
        await semaphore.run(clientId, async () => {
          signal.throwIfAborted();
          const mail = { ...message, ...headersOf(message.to, from), signal };
          await transport.sendMail(mail).catch(rethrow);
        });
      } finally {
        waiting--;
        const left = waitingOf.get(clientId)! - 1;
        if (left > 0) waitingOf.set(clientId, left);
        else waitingOf.delete(clientId);
      }
    },
    async close() {
      transport.close({ force: true });
    },
  };
}

/**
 * Rethrows nodemailer's error: as `AddressRefused` for an address that is rejected permanently, or
 * with 450 (RFC 5321: mailbox unavailable), since any visitor can give such an address.
 */
function rethrow(error: Error & { command?: string; responseCode?: number }): never {
  const { command, responseCode = 0, message } = error;
  if (command !== 'RCPT TO' || (responseCode < 500 && responseCode !== 450)) throw error;
  throw new AddressRefused(message, { cause: error });
}
