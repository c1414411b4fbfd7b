import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { keyedHash, openLink, sealLink } from '../../portal/sign-in/sealed-link.ts';
import {
  csrfToken,
  isCsrfToken,
  newSessionToken,
  readCookie,
  sessionCookie,
} from '../../portal/sign-in/session-cookie.ts';
import type { AccountId } from '../../proxy/ledger/accounts.ts';

const EMAIL = 'ada@example.org';
const [NEW, OLD, FOREIGN] = ['new secret', 'old secret', 'foreign secret'];

test('a keyed hash depends on its secret, its purpose, and where its parts begin and end', () => {
  const hashes = [
    keyedHash(NEW, 'code', 'ab', 'c'),
    keyedHash(OLD, 'code', 'ab', 'c'),
    keyedHash(NEW, 'link', 'ab', 'c'),
    keyedHash(NEW, 'code', 'a', 'bc'),
    keyedHash(NEW, 'code', 'abc'),
    keyedHash(NEW, 'code', 'ab', 'c', ''),
    keyedHash(NEW, 'code', 'c', 'ab'),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});

describe('a sign-in link', () => {
  test('opens with the secret that sealed it, which may be one of several', () => {
    for (const secret of [NEW, OLD]) {
      const token = sealLink(secret, EMAIL);
      expect(openLink([NEW, OLD], token)).toEqual({ email: EMAIL, secret });
      expect(openLink([FOREIGN], token)).toBeUndefined();
      expect(openLink([], token)).toBeUndefined();
    }
  });

  test('of any length that was not sealed here opens nothing, and throws nothing', () => {
    for (let length = 0; length <= 100; length++) {
      const token = randomBytes(length).toString('base64url');
      expect([length, openLink([NEW], token)]).toEqual([length, undefined]);
    }
    const sealed = Buffer.from(sealLink(NEW, EMAIL), 'base64url');
    for (let length = 0; length < sealed.length; length++) {
      const token = sealed.subarray(0, length).toString('base64url');
      expect([length, openLink([NEW], token)]).toEqual([length, undefined]);
    }
  });

  test('has one spelling', () => {
    const token = sealLink(NEW, EMAIL);
    for (const other of [`${token}=`, `${token} `, ` ${token}`, `${token}*`, `${token}\n`]) {
      expect([other, openLink([NEW], other)]).toEqual([other, undefined]);
    }
  });
});

describe('a session cookie', () => {
  const token = newSessionToken('account-1' as AccountId);
  const value = `${token.account}.${token.id}.${token.secret}`;

  test.each([false, true])(
    'is read back from the header in which it was set; https: %s',
    (isHttps) => {
      const [pair] = sessionCookie(token, isHttps).split(';');
      for (const header of [pair, `a=b; ${pair}`, `${pair};c=d`, `  ${pair}  `]) {
        expect([header, readCookie(header, isHttps)]).toEqual([header, token]);
        expect(readCookie(header, !isHttps)).toBeUndefined();
      }
    },
  );

  test.each([
    undefined,
    '',
    'portal_session',
    'portal_session=',
    `portal_session=.${value}`,
    `portal_session=x.${value}`,
    `portal_session="${value}"`,
    `portal_session=${value}.`,
    `portal_session=${value}x`,
    `portal_session=${value.slice(0, -1)}`,
    `portal_session=${'a'.repeat(65)}.${token.id}.${token.secret}`,
    `portal_session=${token.account}.${'a'.repeat(65)}.${token.secret}`,
    `portal_session=${token.account}..${token.secret}`,
    `xportal_session=${value}`,
    `portal_sessions=${value}`,
    `portal_session=${value}; portal_session=${value}`,
  ])('is not found in the header %s', (header) => {
    expect(readCookie(header, false)).toBeUndefined();
  });
});

test('a CSRF token of an old secret is accepted as long as the secret is, for its own session', () => {
  const session = newSessionToken('account-1' as AccountId);
  for (const secret of [NEW, OLD]) {
    const given = csrfToken(secret, session);
    expect(isCsrfToken([NEW, OLD], session, given)).toBe(true);
    expect(isCsrfToken([FOREIGN], session, given)).toBe(false);
    expect(isCsrfToken([], session, given)).toBe(false);
    expect(isCsrfToken([NEW, OLD], { ...session, id: 'other' }, given)).toBe(false);
    expect(isCsrfToken([NEW, OLD], { ...session, secret: 'other' }, given)).toBe(false);
  }
});
