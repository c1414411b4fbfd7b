import { describe, expect, test } from 'vitest';
import { isEmailAddress, writtenAddress } from '../../portal/sign-in/email-address.ts';

describe('an address', () => {
  test.each([
    'a@b.co',
    "Ada.o'Hara+maps_1-x@mail.example.org",
    '李@example.org',
    'e\u0301@example.org',
    '٣@example.org',
    'a@1.co',
    'a@1-2.3com',
    'a@b.xn--p1ai',
    `${'a'.repeat(64)}@b.co`,
    `${'é'.repeat(32)}@b.co`,
    `a@${'b'.repeat(249)}.co`,
  ])('is accepted: %s', (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['no @', 'b.co'],
    ['nothing before the @', '@b.co'],
    ['nothing after it', 'a@'],
    ['a domain of one label', 'a@localhost'],
    ['a last label of one letter', 'a@b.c'],
    ['an empty label', 'a@b..co'],
    ['an empty first label', 'a@.co'],
    ['a label that begins with a hyphen', 'a@-b.co'],
    ['a label that ends with one', 'a@b-.co'],
    ['an IP address', 'a@192.0.2.10'],
    ['a domain in capitals, which are written small first', 'a@B.co'],
    ['two addresses', 'a@b.co,c@d.co'],
    ['an address in another’s local part', 'a@b.co@d.co'],
    ['a name', 'Ada <a@b.co>'],
    ['quotes', '"a"@b.co'],
    ['a comment', 'a(x)@b.co'],
    ['a space', 'a b@c.co'],
    ['a space before', ' a@b.co'],
    ['a line break before', '\na@b.co'],
    ['a line break behind', 'a@b.co\n'],
    ['a header behind', 'a@b.co\r\nBcc: c@d.co'],
    ['65 bytes before the @', `${'a'.repeat(65)}@b.co`],
    ['33 letters of two bytes before it', `${'é'.repeat(33)}@b.co`],
    ['255 bytes', `a@${'b'.repeat(250)}.co`],
  ])('is refused: %s', (_, text) => {
    expect(isEmailAddress(text)).toBe(false);
  });

  test.each([
    ['  a@b.co  ', 'a@b.co'],
    ['a b@c d.co', 'a b@c d.co'],
    ['\ta@b.co', '\ta@b.co'],
    ['Ada@Example.ORG', 'Ada@example.org'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['e\u0301@b.co', '\u00e9@b.co'],
    ['ada', 'ada'],
  ])('%j is written to as %j', (text, address) => {
    expect(writtenAddress(text)).toBe(address);
  });
});
