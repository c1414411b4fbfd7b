import { type Account, isMember } from '../accounts/accounts.ts';
import type { Account as ShownAccount, WithheldBy } from '../responses.ts';
import type { PortalServices } from '../services.ts';

export const ACCOUNT_EXAMPLE = {
  email: 'you@example.org',
  tokens_remaining: 14_200,
  membership: {
    status: 'active',
    renews_at: '2026-12-22T09:30:00.000Z',
    portal_url: 'https://account.example.org/billing/portal',
  },
};

/** Description of withheld grants, for the sign-in routes. */
export const WITHHELD_GRANTS =
  'Sign-up grants are limited per network, mail domain and day; beyond the limit the account is created without one, and `grant_withheld` gives the reason and what to do.';

/** Why an account starts without tokens, and what to do. */
const WHY_WITHHELD: Readonly<Record<WithheldBy, string>> = {
  network:
    'Many accounts were created from your network today. Sign in again tomorrow, or from another network, to get your free tokens.',
  domain:
    'Many accounts were created with addresses of your mail domain today. Sign in again tomorrow to get your free tokens.',
  day: 'More accounts were created today than can get free tokens. Sign in again tomorrow to get yours.',
  mailbox:
    'Free tokens are given to the plain address of a mailbox, without a plus and the text after it. Sign in with that address, or contact the operator of this service.',
  off: 'Free tokens are not available at present. Sign in again later, contact the operator of this service, or buy tokens.',
};

/** An account as shown to its owner. */
export async function ownAccount(
  account: Account,
  { payment, signupGrants, now }: PortalServices,
): Promise<ShownAccount> {
  const { email, balance, membership, disabled } = account;
  const withheldBy = await signupGrants.withheldBy(account.id);
  return {
    email,
    tokens_remaining: balance,
    membership:
      membership && isMember(membership, now())
        ? {
            status: membership.status,
            renews_at: timeOf(membership.renewsAtMs),
            // A renewing membership expires some days after the next payment; that date is not
            // shown.
            ...(membership.status === 'ending' &&
              membership.untilMs !== null && { ends_at: timeOf(membership.untilMs) }),
            portal_url: payment?.portalUrl(account) ?? null,
          }
        : null,
    ...(disabled && { disabled }),
    ...(withheldBy && {
      grant_withheld: { reason: withheldBy, detail: WHY_WITHHELD[withheldBy] },
    }),
  };
}

/** Formats a time as RFC 3339; `null` if it has not happened, or never will. */
export function timeOf<Ms extends number | null>(
  atMs: Ms,
): Ms extends number ? string : string | null;
export function timeOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
