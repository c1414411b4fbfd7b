import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serveMailPage } from '../../infra/mail-page.ts';
import { folderMailer } from '../../portal/mail/folder-mailer.ts';
import { AddressRefused } from '../../portal/mail/mailer.ts';
import { smtpMailer } from '../../portal/mail/smtp-mailer.ts';
import { openPortal } from '../support/portal-harness.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

const FROM = 'Travel times <no-reply@example.org>';

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
}

const received: Received[] = [];
let server: SMTPServer;
let smtpUrl: string;
beforeAll(async () => {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const responseCode = address.startsWith('deferred') ? 450 : 550;
      const isTaken = !/^(refused|deferred)/.test(address);
      done(isTaken ? undefined : Object.assign(new Error('no such mailbox'), { responseCode }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks),
        });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  smtpUrl = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

async function until<T>(find: () => T | undefined): Promise<T> {
  for (let waited = 0; waited < 2_000; waited++) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('it never came');
}

test('a real mail server gets one message to one mailbox, whose code or link signs in', async () => {
  const mailer = smtpMailer(smtpUrl, FROM);
  const portal = await openPortal({ mailer });
  onTestFinished(() => mailer.close());
  onTestFinished(() => portal.close());
  const visitor = portal.visitor();
  const email = "o'hara+x@mail.example.org";
  await visitor.post('/auth/request', { email });
  const { from, to, raw } = await until(() => received.find(({ to }) => to.includes(email)));
  expect([from, to]).toEqual(['no-reply@example.org', [email]]);
  const mail = await PostalMime.parse(raw);
  expect(mail.from).toMatchObject({ name: 'Travel times', address: 'no-reply@example.org' });
  expect(mail.to?.map(({ address }) => address)).toEqual([email]);
  expect([mail.cc ?? [], mail.bcc ?? []]).toEqual([[], []]);
  expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');

  const [code] = /\b\d{6}\b/.exec(mail.text!)!;
  const [link, token] = /http:\/\/127.0.0.1:8081\/auth\/verify\?token=([\w-]+)/.exec(mail.text!)!;
  // The HTML has the code and link too, and contains no trackers.
  expect(mail.html!.replaceAll(/<[^>]+>/g, '')).toContain(`${code.slice(0, 3)} ${code.slice(3)}`);
  expect(mail.html!.match(/https?:\/\/[^"<]+/g)).toEqual([link]);
  expect(mail.html).not.toMatch(/<img|<script|<link|url\(/);
  expect((await visitor.post('/auth/verify', { token })).json().email).toBe(email);
  expect((await visitor.post('/auth/verify-code', { email, code })).statusCode).toBe(400);
});

test('a name in the address, or a second address, never reaches the server', async () => {
  const mailer = smtpMailer(smtpUrl, FROM);
  onTestFinished(() => mailer.close());
  const had = received.length;
  const text = { subject: 'x', text: 'x', html: 'x' };
  // The routes refuse these addresses; the mailer itself must not parse a list either.
  await mailer.send({ to: 'a@c.example, b@d.example', ...text }).catch(() => {});
  await mailer.send({ to: 'a@c.example\r\nBcc: b@d.example', ...text }).catch(() => {});
  for (const { to, raw } of received.slice(had)) {
    expect(to.length).toBe(1);
    expect((await PostalMime.parse(raw)).bcc ?? []).toEqual([]);
  }
});

test.each(['refused', 'deferred'])(
  'an address that is %s is no failure of the mail server',
  async (local) => {
    const mailer = smtpMailer(smtpUrl, FROM);
    const mail = { to: `${local}@c.example`, subject: 's', text: 't', html: 'h' };
    await expect(mailer.send(mail)).rejects.toBeInstanceOf(AddressRefused);
    await mailer.close();
  },
);

test('a mail server that refuses, is down, or never responds neither changes nor delays a response', async () => {
  const silent = createServer(() => {});
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  for (const url of [smtpUrl, 'smtp://127.0.0.1:1', `smtp://127.0.0.1:${port}`]) {
    const mailer = smtpMailer(url, FROM);
    const portal = await openPortal({ mailer });
    const logged: string[] = [];
    portal.app.log.error = (...said: unknown[]) => void logged.push(String(said[1]));
    const response = await portal.visitor().post('/auth/request', { email: 'refused@c.example' });
    expect([response.statusCode, response.json()]).toEqual([202, { sent: true }]);
    const failure = () => logged.find((said) => said === 'mailing a code failed');
    // The mailer waits ten seconds for a silent server.
    if (url.endsWith(String(port))) expect(failure()).toBeUndefined();
    else await until(failure);
    await portal.close();
    await mailer.close();
  }
  silent.close();
});

test('one client’s many mails do not delay another’s', async () => {
  const sent: string[] = [];
  const slow = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      stream.resume().on('end', () => {
        sent.push(envelope.rcptTo[0].address);
        setTimeout(done, 30);
      });
    },
  });
  slow.listen(0, '127.0.0.1');
  await once(slow.server, 'listening');
  const mailer = smtpMailer(
    `smtp://127.0.0.1:${(slow.server.address() as AddressInfo).port}`,
    FROM,
  );
  const text = { subject: 'x', text: 'x', html: 'x' };
  const send = (to: string, clientId: string) => mailer.send({ to, ...text }, clientId);
  try {
    const many = Array.from({ length: 1_100 }, (_, i) => send(`many${i}@c.example`, 'one'));
    const settled = Promise.allSettled(many);
    // The first client's limit is reached, but another client's mail is accepted, and sent before
    // most of the first client's.
    await send('other@c.example', 'two');
    expect(sent.length).toBeLessThan(50);
    await mailer.close();
    const refused = (await settled).filter(
      (one) => one.status === 'rejected' && /wait already/.test(String(one.reason)),
    );
    expect(refused).toHaveLength(100);
  } finally {
    await mailer.close();
    await new Promise<void>((resolve) => slow.close(() => resolve()));
  }
});

test('the mail page is only for the operator who saw its address at startup', async () => {
  const folder = await folderOfThisTest();
  const mailer = folderMailer(folder, FROM);
  const text = 'See https://x.example/?token=1&next=/my';
  await mailer.send({ to: 'a@c.example', subject: 'secret', text, html: '<p>hello' });
  const [portal, other] = [await openPortal(), await openPortal()];
  onTestFinished(() => other.close());
  onTestFinished(() => portal.close());
  const reported = serveMailPage(portal.app, folder);
  const shown = await portal.app.inject(reported);
  expect([shown.statusCode, shown.body]).toEqual([200, expect.stringContaining('secret')]);
  expect(shown.body).toContain('<a href="https://x.example/?token=1&#38;next=/my">');
  expect(shown.headers).toMatchObject({ 'referrer-policy': 'no-referrer' });
  const strange = serveMailPage(other.app, folder);
  for (const path of [
    '/mail',
    '/mail/',
    '/mail/x',
    strange,
    reported.slice(0, -1),
    `${reported}A`,
  ]) {
    const response = await portal.app.inject(path);
    expect([path, response.statusCode]).toEqual([path, 404]);
    expect(response.body).not.toContain('secret');
  }
});

test('a mail folder keeps the newest 500 mails', async () => {
  const folder = await folderOfThisTest();
  const old = Array.from({ length: 600 }, (_, i) => `2026-01-01T00-00-${1000 + i}-old.eml`);
  await Promise.all(old.map((name) => writeFile(path.join(folder, name), '')));
  await writeFile(path.join(folder, 'notes.txt'), '');
  const mailer = folderMailer(folder, FROM);
  await mailer.send({ to: 'a@c.example', subject: 'new', text: 'hello', html: '<p>hello' });
  const left = (await readdir(folder)).sort();
  expect(left).toHaveLength(501);
  expect(left.slice(0, 499)).toEqual(old.slice(-499));
  expect(left.at(-1)).toBe('notes.txt');
});

test('without a mail server, mails are files readable by their owner only, in order of arrival', async () => {
  const parent = await mkdtemp(path.join(tmpdir(), 'tta-mail-'));
  const folder = path.join(parent, 'var', 'mail');
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const mailer = folderMailer(folder, FROM);
  for (const subject of ['first', 'second']) {
    await mailer.send({ to: 'a@c.example', subject, text: 'hello', html: '<p>hello' });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const names = (await readdir(folder)).sort();
  const mails = await Promise.all(
    names.map(async (name) => PostalMime.parse(await readFile(path.join(folder, name)))),
  );
  expect(mails.map(({ subject }) => subject)).toEqual(['first', 'second']);
  expect(mails[0].text?.trim()).toBe('hello');
  const modes = await Promise.all(
    [folder, path.join(folder, names[0])].map(async (at) => (await stat(at)).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o600]);
});
