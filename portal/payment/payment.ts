import type { Account } from '../accounts/accounts.ts';
import type { PackId } from '../plans.ts';

/**
 * What the portal asks of the payment processor. One that does not answer is a problem
 * `payment-unavailable`.
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
  /** Where a member who pays is led to manage the membership, at any time: asks nobody. */
  portalUrl(account: Account): string | null;
  /** Takes an event, by its very bytes. Resolved once it is on the disk; acted upon later. */
  receive(body: Buffer, signature: string | undefined): Promise<void>;
  /**
   * Sees to it that an account which is being closed is not charged again, once it is closed. To be
   * told before, or nobody would end what a closed account has, and after: then it is done at once.
   * Resolved once that is on the disk; done later, whether the processor answers now or not. Where
   * the account stays open, nothing ends.
   */
  endSubscription(account: Account): Promise<void>;
}
