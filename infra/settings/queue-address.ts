import { parseLedgerAddress, type RedisAddress } from '../../proxy/ledger/ledger-address.ts';

const FORM =
  'must have the form redis://HOST[:PORT][/DB]; rediss for TLS, USER:PASSWORD@, percent-encoded, before the host';

/** Parses the address of a queue; null if it is not one. */
export function parseQueueAddress(address: string): RedisAddress | null {
  try {
    const parsed = parseLedgerAddress(address);
    return parsed.kind === 'redis' ? parsed : null;
  } catch {
    return null;
  }
}

/** Returns the reason why an address is not a valid queue address; null if it is. */
export function queueFault(address: string): string | null {
  return parseQueueAddress(address) ? null : FORM;
}
