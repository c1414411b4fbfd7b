import type { Account } from '../accounts/accounts.ts';
import type { PackId } from '../plans.ts';

/**
 * Payment operations of the portal. A processor that does not respond is a `payment-unavailable`
 * problem.
 */
export interface Payment {
  /**
   * The address of a checkout for the monthly membership, which its owner opens in a browser. A
   * member's account is a problem `already-subscribed`.
   */
  subscribe(account: Account): Promise<string>;
  /** The same for a pack of tokens. */
  buyPack(account: Account, packId: PackId): Promise<string>;
  /** Where an owner manages membership and invoices: a page made for one visit. */
  manage(account: Account): Promise<string>;
  /** The address where a paying member manages the membership; makes no request. */
  portalUrl(account: Account): string | null;
  /** Takes an event, by its very bytes. Resolved once it is on the disk; acted upon later. */
  receive(body: Buffer, signature: string | undefined): Promise<void>;
  /**
   * Ensures that an account being closed is not charged again. Call it before closing, since a
   * closed account has no one to end its subscriptions, and again after, which then acts at once.
   * Resolves once recorded on disk; the work is done later, whether or not the processor responds
   * now. Nothing ends if the account stays open.
   */
  endSubscription(account: Account): Promise<void>;
}
