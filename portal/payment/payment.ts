import type { Account } from '../../proxy/ledger/accounts.ts';
import type { PackId } from '../../proxy/plans.ts';

/**
 * Payment operations of the portal. A processor that does not respond is a `payment-unavailable`
 * problem.
 */
export interface Payment {
  /**
   * Returns the URL of a checkout for the monthly membership, for the account's owner to open in a
   * browser. Throws the problem `already-subscribed` for a member's account.
   */
  subscribe(account: Account): Promise<string>;
  /**
   * Returns the URL of a checkout for a pack of tokens, for the account's owner to open in a
   * browser.
   */
  buyPack(account: Account, packId: PackId): Promise<string>;
  /**
   * Returns the URL of a page where an owner manages membership and invoices, created for one
   * visit.
   */
  manage(account: Account): Promise<string>;
  /** Returns the URL on this portal that leads a paying member to `manage`; null for others. */
  portalUrl(account: Account): string | null;
  /** Accepts an event by its raw bytes. Resolves once it is on disk; it is processed later. */
  receive(body: Buffer, signature: string | undefined): Promise<void>;
  /**
   * Ensures that an account being closed is not charged again. Call it before closing, since a
   * closed account has no owner to end its subscriptions, and again after, which then takes effect
   * at once. Resolves once recorded on disk; the work is done later, whether or not the processor
   * responds now. Nothing ends if the account stays open.
   */
  endSubscription(account: Account): Promise<void>;
}
