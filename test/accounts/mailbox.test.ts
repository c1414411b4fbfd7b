import { expect, test } from 'vitest';
import { mailboxOf } from '../../portal/accounts/mailbox.ts';

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
  ['elsewhere', ['Ada@Example.org', 'ada@example.org', 'ada@EXAMPLE.ORG\n']],
  // Addresses that mail servers treat as distinct.
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
  ['ada@gmail.com', 'ada@outlook.com'],
  ['ada@hotmail.fr', 'ada@hotmail.com'],
  ['ada@yahoo.co.uk', 'ada@yahoo.com'],
  // A different company.
  ['ada-x@yahoo.co.jp', 'ada@yahoo.co.jp'],
  ['ada@gmail.com.example.org', 'ada@gmail.com'],
  ['"a@gmail.com"@example.org', 'a@gmail.com'],
])('%s and %s are two mailboxes', (one, other) => {
  expect(mailboxOf(one)).not.toBe(mailboxOf(other));
});

test('leaves a string that is not an address unchanged', () => {
  for (const text of ['', 'ada', '@gmail.com', 'ada@']) expect(mailboxOf(text)).toBe(text);
});
