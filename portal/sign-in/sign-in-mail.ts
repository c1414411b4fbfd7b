import { escapeHtml } from '../../proxy/http/html.ts';
import { CHALLENGE_MINUTES } from '../../proxy/ledger/sign-ins.ts';
import type { Message } from '../mail/mailer.ts';
import { type OwnPagePath, PAGE_PATHS } from '../page-paths.ts';
import type { MailedSecrets } from './challenge.ts';

/** The sign-in mail: code and link, without tracking. The link continues to `next`. */
export function signInMail(
  to: string,
  { code, linkToken }: MailedSecrets,
  next: OwnPagePath,
  accountUrl: string,
): Message {
  const leadsOn = next === PAGE_PATHS.overview ? '' : `&next=${next}`;
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
