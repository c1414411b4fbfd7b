import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BROWSER_TOKEN_KEY_ID,
  BROWSER_TOKEN_SECRET,
  isBrowserToken,
  openBrowserToken,
  sealBrowserToken,
} from '../../proxy/ledger/browser-token.ts';
import { openText, sealText } from '../../proxy/ledger/sealed-text.ts';
import { forAll } from '../support/for-all.ts';

const secret = fc.string({ minLength: 1, maxLength: 20 });
const PURPOSES = ['sign-in link', 'browser token'] as const;

test('a sealed text opens with its secret, for its purpose, and the secret is returned as well', () =>
  forAll(
    50,
    fc.uniqueArray(secret, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(...PURPOSES),
    fc.string({ minLength: 1, unit: 'grapheme' }),
    fc.nat(),
    (secrets, purpose, text, which) => {
      const by = secrets[which % secrets.length];
      const sealed = sealText(by, purpose, text);
      expect(sealed).toMatch(/^[\w-]+$/);
      expect(openText(secrets, purpose, sealed)).toEqual({ text, secret: by });
      // Sealing a text again gives another result.
      expect(sealText(by, purpose, text)).not.toBe(sealed);
      const others = secrets.filter((one) => one !== by);
      expect(openText(others, purpose, sealed)).toBeUndefined();
      for (const other of PURPOSES.filter((one) => one !== purpose)) {
        expect(openText(secrets, other, sealed)).toBeUndefined();
      }
    },
  ));

test('a sealed text that is altered in any bit, cut off or longer does not open', () => {
  const sealed = Buffer.from(sealText('secret', 'browser token', 'a text'), 'base64url');
  const open = (bytes: Buffer) =>
    openText(['secret'], 'browser token', bytes.toString('base64url'));
  expect(open(sealed)?.text).toBe('a text');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const altered = Buffer.from(sealed);
    altered[bit >> 3] ^= 1 << (bit & 7);
    expect(open(altered)).toBeUndefined();
  }
  for (let end = 0; end < sealed.length; end++) {
    expect(open(sealed.subarray(0, end))).toBeUndefined();
  }
  expect(open(Buffer.concat([sealed, Buffer.of(0)]))).toBeUndefined();
});

test('a sealed text has one spelling, and an empty one does not open', () => {
  const sealed = sealText('secret', 'browser token', 'text');
  for (const other of [` ${sealed}`, `${sealed}=`, `${sealed}\n`, sealed.replace(/.$/, '$&$&')]) {
    expect(openText(['secret'], 'browser token', other)).toBeUndefined();
  }
  const empty = sealText('secret', 'browser token', '');
  expect(openText(['secret'], 'browser token', empty)).toBeUndefined();
});

test('the names under which ledgers hold the secret and the usage of browser tokens do not change', () => {
  // Another name would end all tokens, or split the usage of an account in two.
  expect([BROWSER_TOKEN_SECRET, BROWSER_TOKEN_KEY_ID]).toEqual(['browser-tokens', 'browser-token']);
});

test('a browser token holds its account, session, origin and end, behind its prefix', () => {
  const token = {
    account: 'account',
    session: 'session',
    origin: 'https://www.example.org',
    endsAtMs: 1_800_000_000_000,
  };
  const sealed = sealBrowserToken(['first', 'second'], token);
  expect(sealed).toMatch(/^tb_live_[\w-]+$/);
  expect(isBrowserToken(sealed)).toBe(true);
  expect(openBrowserToken(['other', 'first'], sealed)).toEqual(token);
  expect(openBrowserToken(['second'], sealed)).toBeUndefined();
  for (const text of ['', 'tt_live_x', `x${sealed}`, 'tb_live']) {
    expect(isBrowserToken(text)).toBe(false);
  }
  const link = sealText('first', 'sign-in link', JSON.stringify(['a', 's', 'o', 1]));
  expect(openBrowserToken(['first'], `tb_live_${link}`)).toBeUndefined();
});
