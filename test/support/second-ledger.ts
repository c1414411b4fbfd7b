import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';

const READS = new Set<string | symbol>([
  'account',
  'accountByEmail',
  'admit',
  'admitSession',
  'usage',
  'audit',
  'session',
  'sessions',
  'secrets',
  'formerMailboxes',
  'openEvents',
]);

/**
 * Opens the ledger at an address again, as another server would. All reads in a turn of the event
 * loop see one state. A server starts a turn with each request, so each read starts one here.
 */
export async function openSecondLedger(
  address: string,
  options: { readonly rateLimitPerMinute: number },
): Promise<Ledger> {
  const ledger = await openLedger(address, options);
  return new Proxy(ledger, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (!READS.has(name)) return method.bind(target);
      return async (...args: unknown[]) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return method.apply(target, args);
      };
    },
  });
}
