import type { Ledger } from './accounts/ledger.ts';
import type { PortalConfig } from './config.ts';
import type { MailBudget } from './mail/mail-budget.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Payment } from './payment/payment.ts';
import type { SignupGrants } from './sign-in/signup-grants.ts';

/** Dependencies of routes. */
export interface PortalServices {
  readonly ledger: Ledger;
  readonly mailer: Mailer;
  readonly mailBudget: MailBudget;
  readonly signupGrants: SignupGrants;
  /** `null` where nothing can be bought. */
  readonly payment: Payment | null;
  readonly config: PortalConfig & { readonly problemBase: string };
  readonly secrets: {
    /**
     * Key codes, links and CSRF tokens: the first those that are made, all those that come back. A
     * `LedgerUnavailable` while the ledger, which keeps one, has not been there yet.
     */
    readonly session: readonly string[];
  };
  readonly now: () => number;
}
