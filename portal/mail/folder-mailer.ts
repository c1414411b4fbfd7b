import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import { headersOf, type Mailer, type Message } from './mailer.ts';

/** Number of mails kept; the codes in them expire after ten minutes. */
const KEPT = 500;

/**
 * Writes mails to a folder, for a local service, each as a file `TIME-….eml` that only its owner
 * can read. Names ascend with time, and only the newest are kept.
 */
export function folderMailer(folder: string, from: string): Mailer {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(message: Message) {
      const sent = await transport.sendMail({ ...message, ...headersOf(message.to, from) });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const time = new Date().toISOString().replaceAll(':', '-');
      const name = `${time}-${randomBytes(4).toString('hex')}.eml`;
      await writeFile(path.join(folder, name), sent.message, { mode: 0o600, flag: 'wx' });
      await removeOldest(folder);
    },
    async close() {
      transport.close();
    },
  };
}

async function removeOldest(folder: string): Promise<void> {
  const mails = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  const oldest = mails.slice(0, Math.max(0, mails.length - KEPT));
  await Promise.all(oldest.map((name) => rm(path.join(folder, name), { force: true })));
}
