import { asciiDomain } from '../../proxy/ledger/mailbox.ts';

const MAX_BYTES = 254;
const MAX_LOCAL_BYTES = 64;
/**
 * Maximum length of a text; longer ones are rejected unchecked, since some checks take quadratic
 * time.
 */
export const MAX_WRITTEN = 2 * MAX_BYTES;

/**
 * The part before the @: RFC 5322 atoms separated by dots, and letters of all scripts (RFC 6531).
 */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~.\p{L}\p{M}\p{N}-]+$/u;
/** Two labels or more, the last of which is not a number: that would be an IP address. */
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+(?!\d+$)[a-z\d-]{2,}$/;

/**
 * Whether a text is exactly one deliverable address: no second address, name, comment or quotes,
 * and nothing that could start another header line.
 */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  return (
    at > 0 &&
    Buffer.byteLength(text) <= MAX_BYTES &&
    Buffer.byteLength(local) <= MAX_LOCAL_BYTES &&
    LOCAL.test(local) &&
    DOMAIN.test(domain)
  );
}

/**
 * Returns the address that mail is sent to: trimmed, and normalized to the same letters that
 * `mailboxOf` uses for its mailbox. Some letters look like others; if they were equated in only one
 * of the two places, mail to one mailbox would open the account of another. Accepts up to
 * `MAX_WRITTEN`.
 */
export function writtenAddress(text: string): string {
  const address = text.replaceAll(/^ +| +$/g, '').normalize('NFC');
  const at = address.lastIndexOf('@');
  return address.slice(0, at + 1) + asciiDomain(address.slice(at + 1));
}
