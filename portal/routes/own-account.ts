import { type Account, isMember } from '../../proxy/ledger/accounts.ts';
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

export const WITHHELD_GRANTS =
  'Sign-up grants are limited per network, mail domain and day; beyond a limit the grant is delayed and credited by itself, and `grant_withheld` gives the reason and the earliest time.';

const WHY_WITHHELD: Readonly<Record<WithheldBy, string>> = {
  network:
    'Many accounts were created from your network lately, so your free tokens will be added later. There is nothing you need to do.',
  domain:
    'Many accounts were created with addresses of your mail domain lately, so your free tokens will be added later. There is nothing you need to do.',
  day: 'More accounts were created today than can get free tokens at once. Yours will be added later, and there is nothing you need to do.',
  off: 'Free tokens are not available at present. Contact the operator of this service, or buy tokens.',
};

export async function ownAccount(
  found: Account,
  { payment, signupGrants, now }: PortalServices,
): Promise<ShownAccount> {
  const { account, withheld } = await signupGrants.settle(found, now());
  const { email, balance, membership, disabled } = account;
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
    ...(withheld && {
      grant_withheld: {
        reason: withheld.by,
        until: timeOf(withheld.untilMs),
        detail: WHY_WITHHELD[withheld.by],
      },
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
