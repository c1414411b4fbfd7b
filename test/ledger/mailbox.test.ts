import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  asciiDomain,
  hashMailbox,
  isProvider,
  mailboxOf,
  storableMailbox,
} from '../../proxy/ledger/mailbox.ts';

test.each([
  [
    'gmail.com',
    ['ada.lovelace@gmail.com', 'A.D.A.Lovelace+maps@googlemail.com', ' adalovelace@GMAIL.com '],
  ],
  ['outlook.com', ['ada.l@outlook.com', 'ADA.L+x+y@Outlook.com']],
  ['icloud.com', ['ada@icloud.com', 'ada+1@me.com', 'ada@mac.com']],
  ['proton.me', ['a.da@proton.me', 'ada@protonmail.com', 'ada+x@pm.me', 'A.da@protonmail.ch']],
  ['yahoo.com', ['ada@yahoo.com', 'ada-shop@yahoo.com']],
  ['yahoo.co.uk', ['ada@yahoo.co.uk', 'Ada-shop@Yahoo.co.uk']],
  ['hotmail.fr', ['ada@hotmail.fr', 'ada+x@hotmail.fr']],
  ['live.nl', ['ada@live.nl', 'ada+x@live.nl']],
  ['outlook.com.br', ['ada@outlook.com.br', 'ada+x@outlook.com.br']],
  ['fastmail.com', ['ada@fastmail.com', 'ada+list@fastmail.com']],
  ['fastmail.fm', ['ada@fastmail.fm', 'ada+list@fastmail.fm']],
  ['ymail.com', ['ada@ymail.com', 'ada-shop@ymail.com']],
  ['rocketmail.com', ['ada@rocketmail.com', 'ada-shop@rocketmail.com']],
  ['an address of one letter', ['a@gmail.com', 'a@googlemail.com']],
  ['elsewhere', ['Ada@Example.org', 'ada@example.org', 'ada@EXAMPLE.ORG\n']],
  // Spellings of a domain that mail servers treat as equal.
  ['a domain in full-width letters', ['ada@gmail.com', 'ada@ｇｍａｉｌ.com', 'a.da+x@𝐠mail.com']],
  ['a domain in another script', ['ada@bücher.example', 'ada@xn--bcher-kva.example']],
  // One letter in two encodings.
  ['a letter with an accent', ['andré@example.org', 'andre\u0301@example.org']],
])('at %s, every spelling of an address leads to one mailbox', (_, forms) => {
  expect(new Set(forms.map(mailboxOf)).size).toBe(1);
});

test.each([
  ['a.da@example.org', 'ada@example.org'],
  ['ada+x@example.org', 'ada@example.org'],
  ['a.da@outlook.com', 'ada@outlook.com'],
  ['ada-x@gmail.com', 'ada@gmail.com'],
  ['ada+x@yahoo.com', 'ada@yahoo.com'],
  ['a.da@yahoo.com', 'ada@yahoo.com'],
  ['ada@gmail.com', 'ada@outlook.com'],
  ['ada@hotmail.fr', 'ada@hotmail.com'],
  ['ada@yahoo.co.uk', 'ada@yahoo.com'],
  // In Japan, Yahoo is a different company.
  ['ada-x@yahoo.co.jp', 'ada@yahoo.co.jp'],
  ['ada@gmail.com.example.org', 'ada@gmail.com'],
  ['"a@gmail.com"@example.org', 'a@gmail.com'],
])('%s and %s are two mailboxes', (one, other) => {
  expect(mailboxOf(one)).not.toBe(mailboxOf(other));
});

test('a string that is not an address is left unchanged', () => {
  const texts = ['', 'ada', '@gmail.com', 'ada@', 'gmail.com'];
  for (const text of texts) expect(mailboxOf(text)).toBe(text);
});

test('a domain gets its ASCII form in the DNS, and other text is only put into lower case', () => {
  expect(asciiDomain('Example.ORG')).toBe('example.org');
  // The test domain of the registries in Hindi, whose letters have combining marks.
  expect(asciiDomain('परीक्षा')).toBe('xn--11b5bs3a9aj6g');
  for (const text of ['A\nb.org', '\nb.org', 'B.org\n', 'A_b.org', '']) {
    expect(asciiDomain(text)).toBe(text.toLowerCase());
  }
});

test('a provider is identified by its domains and their aliases', () => {
  for (const domain of ['gmail.com', 'googlemail.com', 'me.com', 'yahoo.co.uk']) {
    expect(isProvider(domain)).toBe(true);
  }
  for (const domain of ['example.org', 'yahoo.co.jp', 'gmail', '']) {
    expect(isProvider(domain)).toBe(false);
  }
});

test('a ledger keeps addresses of one to 1,500 bytes', () => {
  const of = (length: number) => `${'x'.repeat(length - '@a.org'.length)}@a.org`;
  expect(storableMailbox(` ${of(1_500)} `)).toBe(of(1_500));
  for (const email of ['', ' ', of(1_501), `é${of(1_499)}`]) {
    expect(() => storableMailbox(email)).toThrow(
      new RangeError('an address must be 1 to 1500 bytes'),
    );
  }
});

test('the record of a closed account’s mailbox is its SHA-256', () => {
  const hash = createHash('sha256').update('ada@example.org').digest('hex');
  const base64 = Buffer.from(hash, 'hex').toString('base64');
  expect(hashMailbox('ada@example.org')).toBe(
    base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  );
});
