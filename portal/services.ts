import type { Ledger } from '../proxy/ledger/ledger.ts';
import type { ChallengeOutcome } from '../proxy/ledger/sign-ins.ts';
import type { PortalConfig } from './config.ts';
import type { MailBudget } from './mail/mail-budget.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Payment } from './payment/payment.ts';
import type { SignupGrants } from './sign-in/signup-grants.ts';

export interface PortalServices {
  readonly ledger: Ledger;
  readonly mailer: Mailer;
  readonly mailBudget: MailBudget;
  readonly signupGrants: SignupGrants;
  /** Count of the codes that were tried, by outcome. */
  readonly codeOutcomes: CodeOutcomes;
  /** `null` if nothing can be bought. */
  readonly payment: Payment | null;
  readonly config: PortalConfig & { readonly problemBase: string };
  readonly secrets: {
    /**
     * Keys for codes, links and CSRF tokens: the first signs new ones, each of them verifies.
     * Throws `LedgerUnavailable` until the ledger, which stores one, has been reachable.
     */
    readonly session: readonly string[];
    /** Keys that seal browser tokens. Throws like `session`. */
    readonly browserToken: readonly string[];
  };
  readonly now: () => number;
}

/**
 * `none`: there was nothing to guess, as no code was mailed lately; `refused`: not looked at, since
 * too many wrong ones were tried.
 */
export type CodeOutcomes = Map<ChallengeOutcome | 'refused', number>;
