import { hash } from 'node:crypto';
import { domainToASCII } from 'node:url';

const MAX_MAILBOX_BYTES = 1_500;

/**
 * Returns the mailbox that an address delivers to; two addresses with one mailbox belong to one
 * person. Case is ignored everywhere, and domains are normalized as mail servers do. Dots, or the
 * part after a plus, are dropped only where the provider ignores them. Elsewhere, they may
 * distinguish two people and are kept.
 */
export function mailboxOf(email: string): string {
  const given = email.trim().normalize('NFC').toLowerCase();
  const at = given.lastIndexOf('@');
  const [local, written] = [given.slice(0, at), asciiDomain(given.slice(at + 1))];
  const address = given.slice(0, at + 1) + written;
  const domain = ALIASES.get(written) ?? written;
  const provider = PROVIDERS.get(domain);
  if (at < 1 || !provider) return address;
  const name = local.split(provider.tag)[0];
  return `${provider.dots ? name.replaceAll('.', '') : name}@${domain}`;
}

/**
 * `mailboxOf` an address without the part after a plus, which many hosts ignore: most likely that
 * of the same person.
 */
export function untaggedMailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  return mailboxOf(email.slice(0, at).split('+')[0] + email.slice(at));
}

/**
 * Converts a domain to DNS form (UTS 46), which unifies look-alike letters and those of other
 * scripts. An invalid domain is only lower-cased.
 */
export function asciiDomain(domain: string): string {
  // Without this check, characters not allowed in a name, such as a line break, would be silently
  // dropped.
  const isName = /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain);
  return (isName && domainToASCII(domain)) || domain.toLowerCase();
}

export function isProvider(domain: string): boolean {
  return PROVIDERS.has(ALIASES.get(domain) ?? domain);
}

/** `mailboxOf` for an address that a ledger can store; throws a `RangeError` for any other. */
export function storableMailbox(email: string): string {
  const mailbox = mailboxOf(email);
  if (mailbox === '' || Buffer.byteLength(mailbox) > MAX_MAILBOX_BYTES) {
    throw new RangeError(`an address must be 1 to ${MAX_MAILBOX_BYTES} bytes`);
  }
  return mailbox;
}

export function hashMailbox(mailbox: string): string {
  return hash('sha256', mailbox, 'base64url');
}

interface Provider {
  /** Separator of the part that the provider ignores. */
  readonly tag: string;
  readonly dots: boolean;
}

const PLUS: Provider = { tag: '+', dots: false };
const HYPHEN: Provider = { tag: '-', dots: false };
const PLUS_AND_DOTS: Provider = { tag: '+', dots: true };

/** Country domains of the provider, each with separate mailboxes. */
const OUTLOOK =
  'com at be cl co.id co.il co.th com.ar com.au com.br com.gr com.tr com.vn cz de dk es fr hu ie in it jp kr lv my ph pt sa sg sk';
const HOTMAIL =
  'com be ca ch cl co.id co.il co.in co.jp co.kr co.nz co.th co.uk co.za com.ar com.au com.br com.hk com.tr com.tw com.vn cz de dk es fi fr gr hu it lt lv my nl no ph rs se sg sk';
const LIVE =
  'com at be ca ch cl cn co.kr co.uk co.za com.ar com.au com.mx com.my com.ph com.pt com.sg de dk fi fr hk ie in it jp nl no ru se';
const YAHOO =
  'com at be bg ca cl co.id co.il co.in co.kr co.nz co.th co.uk co.za com.ar com.au com.br com.co com.hk com.mx com.my com.pe com.ph com.sg com.tr com.tw com.ua com.ve com.vn cz de dk ee es fi fr gr hr hu ie in it lt lv nl no pl pt ro rs se si sk';

/** Rules of mail providers by domain, as documented by the providers in 2026. */
const PROVIDERS: ReadonlyMap<string, Provider> = new Map([
  ...everywhere('outlook', OUTLOOK, PLUS),
  ...everywhere('hotmail', HOTMAIL, PLUS),
  ...everywhere('live', LIVE, PLUS),
  ...everywhere('yahoo', YAHOO, HYPHEN),
  ...(
    ['msn', 'passport', 'windowslive', 'zoho', 'zohomail', 'icloud', 'fastmail'] as const
  ).flatMap((name) => everywhere(name, 'com', PLUS)),
  ...everywhere('fastmail', 'fm', PLUS),
  ...everywhere('hey', 'com', PLUS),
  ...everywhere('mailbox', 'org', PLUS),
  ...everywhere('pobox', 'com', PLUS),
  ...everywhere('posteo', 'de', PLUS),
  ...everywhere('yandex', 'ru', PLUS),
  ...everywhere('ymail', 'com', HYPHEN),
  ...everywhere('rocketmail', 'com', HYPHEN),
  ...everywhere('gmail', 'com', PLUS_AND_DOTS),
  ...everywhere('proton', 'me', PLUS_AND_DOTS),
]);

function everywhere(name: string, endings: string, provider: Provider): [string, Provider][] {
  return endings.split(' ').map((ending) => [`${name}.${ending}`, provider]);
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['googlemail.com', 'gmail.com'],
  ['me.com', 'icloud.com'],
  ['mac.com', 'icloud.com'],
  ['protonmail.com', 'proton.me'],
  ['protonmail.ch', 'proton.me'],
  ['pm.me', 'proton.me'],
  ['ya.ru', 'yandex.ru'],
  ['yandex.com', 'yandex.ru'],
]);
