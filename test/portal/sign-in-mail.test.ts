import { expect, test } from 'vitest';
import { OWN_PAGE_PATHS, PAGE_PATHS } from '../../portal/page-paths.ts';
import { signInMail } from '../../portal/routes/sign-in.ts';

const SECRETS = { code: '012345', linkToken: 'abc_-1' };
const OTHER = OWN_PAGE_PATHS.find((path) => path !== PAGE_PATHS.overview)!;
const NOTE =
  'Both work once and expire after 10 minutes. If you did not request this, ignore this message: no one can sign in without it. Never share this code; we will never ask for it.';

test.each([
  [PAGE_PATHS.overview, ''],
  [OTHER, `&next=${OTHER}`],
  ['/map#x=1&m=walk', '&next=/map%23x%3D1%26m%3Dwalk'],
  [`/map#x=1&q=${'1'.repeat(3_000)}`, '&next=/map'],
] as const)(
  'the mail of a sign-in that leads on to %s has its code and link, as text and as HTML',
  (next, query) => {
    const mail = signInMail('ada@example.org', SECRETS, next, 'https://account.example.org');
    const link = `https://account.example.org/auth/verify?token=abc_-1${query}`;
    expect([mail.to, mail.subject]).toEqual(['ada@example.org', 'Sign in to account.example.org']);
    expect(mail.text.split('\n\n')).toEqual([
      'Your code to sign in to account.example.org:',
      '    012345',
      'Or open this link and press the button on the page:',
      link,
      NOTE,
      '',
    ]);
    expect(mail.html).toContain(`href="${link.replace('&', '&#38;')}"`);
    const shown = mail.html!.replaceAll(/<[^>]+>/g, '').trim();
    expect(shown.split('\n')).toEqual([
      'Your code to sign in to account.example.org:',
      '012 345',
      'Or open this link and press the button on the page.',
      NOTE,
    ]);
  },
);
