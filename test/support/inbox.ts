import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A loopback mail server that keeps the mail it receives. */
export interface Inbox {
  /** Address of the server, such as `smtp://127.0.0.1:2525`. */
  readonly address: string;
  /** Waits for the next mail to an address, after the first `had` mails to it. */
  next(to: string, had?: number, waitMs?: number): Promise<Email>;
  close(): Promise<void>;
}

/** An address for which the inbox refuses mail. */
export const REFUSED = 'nobody@example.org';
/** An address whose mail the inbox fails to store. */
export const FAILING = 'full@example.org';
const WAIT_MS = 120_000;

export async function openInbox(): Promise<Inbox> {
  const mails: Email[] = [];
  // If a sender disconnects midway, nothing is kept.
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, done) =>
      done(address === REFUSED ? new Error('no such mailbox') : null),
    onData(stream, { envelope }, done) {
      if (envelope.rcptTo.some(({ address }) => address === FAILING)) {
        stream.resume().on('end', () => done(new Error('the disk is full')));
        return;
      }
      const taken = stream.toArray().then((chunks) => PostalMime.parse(Buffer.concat(chunks)));
      taken.then((mail) => void mails.push(mail)).then(() => done(), done);
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    address: `smtp://127.0.0.1:${port}`,
    async next(to, had = 0, waitMs = WAIT_MS) {
      const until = Date.now() + waitMs;
      for (;;) {
        const found = mails.filter((mail) => mail.to?.some(({ address }) => address === to))[had];
        if (found) return found;
        if (Date.now() > until) throw new Error(`no mail came to ${to}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
