import { type Account, isMember } from '../accounts/accounts.ts';
import type { Account as ShownAccount } from '../answers.ts';
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

/** An account as its owner is shown it. */
export function ownAccount(account: Account, { payment, now }: PortalServices): ShownAccount {
  const { email, balance, membership, disabled } = account;
  return {
    email,
    tokens_remaining: balance,
    membership:
      membership && isMember(membership, now())
        ? {
            status: membership.status,
            renews_at: timeOf(membership.renewsAtMs),
            // Of one that goes on the end is some days past the next payment, and nobody's business.
            ...(membership.status === 'ending' &&
              membership.untilMs !== null && { ends_at: timeOf(membership.untilMs) }),
            portal_url: payment?.portalUrl(account) ?? null,
          }
        : null,
    ...(disabled && { disabled }),
  };
}

/** RFC 3339; `null` of what has not been, or will not be. */
export function timeOf<Ms extends number | null>(
  atMs: Ms,
): Ms extends number ? string : string | null;
export function timeOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
