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
  'There are limits to these grants, by network, mail domain and day; past them the account is made without, and `grant_withheld` says why and what to do.';

/** Why an account starts without tokens, and what to do. */
const WHY_WITHHELD: Readonly<Record<WithheldBy, string>> = {
  network:
    'Many accounts were made from your network today. Sign in again tomorrow, or from another network, and the free tokens are yours.',
  domain:
    'Many accounts were made with addresses of your mail domain today. Sign in again tomorrow, and the free tokens are yours.',
  day: 'More accounts were made today than free tokens are given to. Sign in again tomorrow, and they are yours.',
  mailbox:
    'Free tokens go to the own address of a mailbox, without the plus and what follows it. Sign in with that address, or write to the people who run this service.',
  off: 'No free tokens are given at present. Sign in again later, write to the people who run this service, or buy tokens.',
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

/** RFC 3339; `null` if it has not happened, or never will. */
export function timeOf<Ms extends number | null>(
  atMs: Ms,
): Ms extends number ? string : string | null;
export function timeOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
